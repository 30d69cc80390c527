import { describe, expect, it } from '@jest/globals';
import type { BatchEntries } from '../../../contract/schemas/publisher.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import type { PublicScores } from '../../../contract/schemas/scores.js';
import { reputationHttpFixture } from '../../fixtures/reputation/reputation-over-http.js';
import { testCronSecret } from '../../support/app.js';
import { waitFor } from '../../support/wait-for.js';

const fixture = reputationHttpFixture({ PUBLISHER_SECRET_KEY: '7f'.repeat(32) });
const path = '/v1/public/scores';

async function tick(): Promise<void> {
  const headers = { authorization: `Bearer ${testCronSecret}` };
  expect((await fixture.app.client.request('POST', '/api/publisher/tick', { headers })).status).toBe(200);
}

async function page(cursor: string | null = null, limit = 7): Promise<PublicScores> {
  const rest = cursor === null ? '' : `&cursor=${cursor}`;
  return (await fixture.get<PublicScores>(`${path}?limit=${limit}${rest}`)).body;
}

/** The page `first` and all pages that follow it by their cursors. */
async function pagesFrom(first: PublicScores): Promise<PublicScores[]> {
  const pages = [first];
  for (let { nextCursor } = first; nextCursor !== null; ) {
    const next = await page(nextCursor);
    pages.push(next);
    nextCursor = next.nextCursor;
  }
  return pages;
}

async function entriesOf(sequence: number): Promise<ScoreCard[]> {
  const { body } = await fixture.get<BatchEntries>(`/api/publisher/batches/${sequence}/entries?limit=100`);
  expect(body.nextCursor).toBeNull();
  return body.items;
}

const itemsOf = (pages: readonly PublicScores[]) => pages.flatMap(({ items }) => items);
const sequencesOf = (pages: readonly PublicScores[]) => [
  ...new Set(pages.map(({ batch }) => batch?.sequence ?? null)),
];

/** Waits until the scores name this batch, since the lookup is cached for a second. */
const untilBatchIs = (sequence: number | null) =>
  waitFor(async () => expect((await page()).batch?.sequence ?? null).toBe(sequence), { timeout: 10_000 });

describe('the batch that the public scores name', () => {
  it('holds exactly the items of their pages, is null while the scores are newer, and follows a cursor back', async () => {
    await fixture.record('harbour', 'usdc-ngn', 60);
    await fixture.refresh();
    expect(sequencesOf(await pagesFrom(await page()))).toEqual([null]);

    await tick();
    await untilBatchIs(1);
    const published = await pagesFrom(await page());
    expect(published.length).toBeGreaterThan(1);
    expect(sequencesOf(published)).toEqual([1]);
    expect(itemsOf(published)).toEqual(await entriesOf(1));

    await fixture.record('squall', 'usdc-kes', 45, 30);
    await fixture.refresh();
    await untilBatchIs(null);
    const newer = await pagesFrom(await page());
    expect(sequencesOf(newer)).toEqual([null]);
    expect(itemsOf(newer)).not.toEqual(await entriesOf(1));
    const [beforeChange] = published;
    if (beforeChange === undefined) throw new Error('there is no first page');
    const continued = await pagesFrom(beforeChange);
    expect(sequencesOf(continued)).toEqual([1]);
    expect(itemsOf(continued)).toEqual(await entriesOf(1));

    await tick();
    await untilBatchIs(2);
    const again = await pagesFrom(await page());
    expect(sequencesOf(again)).toEqual([2]);
    expect(itemsOf(again)).toEqual(await entriesOf(2));
    expect(sequencesOf(await pagesFrom(beforeChange))).toEqual([1]);
  });

  it('stays the same where a refresh changes no card', async () => {
    await fixture.refresh();
    await untilBatchIs(2);
    const pages = await pagesFrom(await page());
    expect(sequencesOf(pages)).toEqual([2]);
    expect(itemsOf(pages)).toEqual(await entriesOf(2));
  });
});
