import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import type { PublicScores } from '../../../contract/schemas/reputation.js';
import { reputationHttpFixture } from '../../fixtures/reputation/reputation-over-http.js';
import { testCronSecret } from '../../support/app.js';
import { itWhere, python3 } from '../../support/it-where.js';
import { waitFor } from '../../support/wait-for.js';

const fixture = await reputationHttpFixture({ PUBLISHER_SECRET_KEY: '7f'.repeat(32) });
const path = '/v1/public/scores';
const script = new URL('../../clients/python/recompute_scores.py', import.meta.url);

async function everyPage(limit: number): Promise<PublicScores[]> {
  const pages: PublicScores[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body } = await fixture.get<PublicScores>(`${path}?limit=${limit}${query}`);
    pages.push(body);
    cursor = body.nextCursor;
  }
  return pages;
}

describe('200', () => {
  it('is empty before the first refresh', async () => {
    expect((await fixture.get(path)).body).toEqual({
      version: '1',
      formula: 'v1',
      standsStillSince: null,
      window: 30,
      generatedAt: null,
      batch: null,
      items: [],
      nextCursor: null,
    });
  });

  it('has every card of window 30 once, by anchor and corridor, over as many pages as it takes', async () => {
    await fixture.record('harbour', 'usdc-ngn', 100, 96);
    await fixture.record('squall', 'usdc-kes', 64, 40);
    await fixture.refresh();
    const pages = await everyPage(7);
    const keys = pages.flatMap(({ items }) => items.map((card) => `${card.anchorId} ${card.corridor}`));
    const fleet = fixture.app.simulated.fleet.anchors;
    expect(keys).toHaveLength(fleet.reduce((sum, { corridors }) => sum + corridors.length, 0));
    expect(keys).toEqual([...keys].sort());
    expect(new Set(pages.map(({ generatedAt }) => generatedAt)).size).toBe(1);
  });

  itWhere(python3, 'no python3: the second computation of the published scores')(
    "can be computed again from its own inputs by Python's standard library",
    async () => {
      const { body } = await fixture.get<PublicScores>(`${path}?limit=100`);
      expect(body.items.filter(({ score }) => score !== null)).toHaveLength(2);
      const run = spawnSync('python3', ['-B', script.pathname], {
        input: JSON.stringify(body),
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect(run.stdout).toBe(`${body.items.length} cards, 0 differences\n`);
    },
  );

  it('names the batch once its scores are published', async () => {
    const ticked = await fixture.app.client.request<{ sequence: number; root: string }>(
      'POST',
      '/api/publisher/tick',
      { headers: { authorization: `Bearer ${testCronSecret}` } },
    );
    expect(ticked.status).toBe(200);
    await waitFor(
      async () =>
        expect(await (await fixture.get<PublicScores>(path)).body.batch).toEqual({
          sequence: 1,
          root: expect.stringMatching(/^[0-9a-f]{64}$/),
        }),
      { timeout: 10_000 },
    );
  });
});

describe('400', () => {
  it.each(['limit=0', 'cursor=AAAA', 'window=30'])('for %s', async (query) => {
    expect((await fixture.get(`${path}?${query}`)).status).toBe(400);
  });
});

describe('429', () => {
  it('after 60 requests of one client in a minute', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.7' };
    const answers = [];
    for (let sent = 0; sent < 61; sent += 1) answers.push(await fixture.get(path, headers));
    expect(answers.at(-2)?.status).toBe(200);
    expect(answers.at(-1)).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
  });
});
