import { describe, expect, it } from '@jest/globals';
import type { LeaderboardAnswer } from '../../../contract/schemas/reputation.js';
import { reputationHttpFixture } from '../../fixtures/reputation/reputation-over-http.js';

const fixture = await reputationHttpFixture();
const path = '/api/reputation/leaderboard';

describe('200', () => {
  it('lists the whole fleet without scores before the first outcome', async () => {
    expect((await fixture.get<LeaderboardAnswer>(path)).body).toEqual({
      corridor: null,
      window: 30,
      formula: 'v1',
      standsStillSince: null,
      computedAt: null,
      items: [],
      nextCursor: null,
    });
    await fixture.refresh();
    const { body } = await fixture.get<LeaderboardAnswer>(path);
    expect(body.items.map(({ anchorId }) => anchorId)).toEqual(
      fixture.app.simulated.fleet.anchors.map(({ id }) => id).sort(),
    );
    expect(
      body.items.every(({ rank, score, simulated }) => rank === null && score === null && simulated),
    ).toBe(true);
  });

  it('ranks the best anchor first, over all corridors and in one corridor', async () => {
    await fixture.record('harbour', 'usdc-ngn', 60, 59);
    await fixture.record('squall', 'usdc-ngn', 60, 40);
    await fixture.record('squall', 'usdc-kes', 40);
    await fixture.refresh();
    const overall = await fixture.get<LeaderboardAnswer>(path);
    expect(overall.body.items.slice(0, 3).map(({ anchorId, rank }) => [anchorId, rank])).toEqual([
      ['harbour', 1],
      ['squall', 2],
      ['ferry', null],
    ]);
    expect(overall.body.items[1]).toMatchObject({ outcomes: 100, scoredCorridors: 2, state: 'scored' });
    const kes = await fixture.get<LeaderboardAnswer>(`${path}?corridor=usdc-kes&window=7`);
    expect(kes.body).toMatchObject({ corridor: 'usdc-kes', window: 7 });
    expect(kes.body.items[0]).toMatchObject({ anchorId: 'squall', rank: 1, outcomes: 40 });
  });

  it('pages by cursor', async () => {
    const first = await fixture.get<LeaderboardAnswer>(`${path}?limit=3`);
    expect(first.body.items).toHaveLength(3);
    const rest = await fixture.get<LeaderboardAnswer>(`${path}?limit=100&cursor=${first.body.nextCursor}`);
    expect(rest.body.nextCursor).toBeNull();
    expect(first.body.items.length + rest.body.items.length).toBe(fixture.app.simulated.fleet.anchors.length);
  });

  it('may be cached for some seconds and revalidated by its ETag', async () => {
    const { headers } = await fixture.get(path);
    expect(headers.get('cache-control')).toMatch(/^private, max-age=\d+$/);
    const again = await fixture.get(path, { 'if-none-match': headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });
});

describe('422', () => {
  it('for a corridor that is neither served nor has a record', async () => {
    const { status, body } = await fixture.get<{ code: string }>(`${path}?corridor=usdc-zzz`);
    expect([status, body.code]).toEqual([422, 'UNSUPPORTED_PAIR']);
  });
});

describe('400', () => {
  it.each([
    'window=31',
    'window=',
    'corridor=USDC',
    'limit=0',
    'limit=101',
    'cursor=AAAA',
    'cursor=!',
    'x=1',
  ])('for %s', async (query) => {
    const { status, body } = await fixture.get(`${path}?${query}`);
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(body).toMatchObject({ details: [{ path: `query.${query.split('=')[0]}` }] });
  });

  it('for a cursor of another ranking', async () => {
    const { body } = await fixture.get<LeaderboardAnswer>(`${path}?limit=1`);
    expect((await fixture.get(`${path}?limit=1&window=90&cursor=${body.nextCursor}`)).status).toBe(400);
  });
});
