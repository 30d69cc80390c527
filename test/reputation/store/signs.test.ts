import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { CardSigns, ScoreCard } from '../../../contract/schemas/score-card.js';
import { reputationFixture } from '../../fixtures/reputation/reputation-fixture.js';
import { insertOutcomes } from '../../fixtures/reputation/reputation-parts.js';
import { settled } from '../../fixtures/reputation/stored-outcomes.js';

const fixture = reputationFixture();

interface Case {
  name: string;
  window: ScoreCard['window'];
  /** Account, anchor and UTC day. */
  outcomes: [string, string, string][];
  signs: CardSigns;
}

const vectors = new URL('../../vectors/card-signs.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(vectors, 'utf8')) as { cases: Case[] };

/** Inserts outcomes that are counted together, each later in its day than the one before. */
async function record(outcomes: Case['outcomes'], timesKnown = true): Promise<void> {
  await insertOutcomes(fixture.parts, outcomes.length, (index) => {
    const [account = '', anchorId = '', day = ''] = outcomes[index] ?? [];
    const recordedAt = new Date(Date.parse(day) + index * 1_000);
    return {
      anchorId,
      account: `G${account}`,
      outcome: settled({ recordedAt, timesKnown, settleSeconds: timesKnown ? 60 : null }),
    };
  });
}

async function signsOf(anchorId: string, window: ScoreCard['window'] = 30) {
  await fixture.feature.refresh();
  const { corridors } = await fixture.feature.service.getReputation(anchorId, window);
  const card = corridors.find(({ corridor }) => corridor === 'usdc-ngn');
  if (card === undefined) throw new Error('there is no card');
  return card;
}

describe('the signs beside a card', () => {
  it.each(cases.map((each) => [each.name, each] as const))(
    '%s',
    async (_name, { window, outcomes, signs }) => {
      await record(outcomes);
      expect(await signsOf('harbour', window)).toMatchObject(signs);
      // Counted anew, they are the same.
      await fixture.parts.markEveryDay();
      expect(await signsOf('harbour', window)).toMatchObject(signs);
    },
  );

  it('show where 300 fresh accounts of a week make a score of 98.73', async () => {
    const fabricated = Array.from({ length: 300 }, (_, index) => [
      `f${index}`,
      'harbour',
      `2026-11-${15 + (index % 7)}`,
    ]);
    await record(fabricated as Case['outcomes'], false);
    const card = await signsOf('harbour');
    expect(card).toMatchObject({ outcomes: 300, filled: 300, score: '98.73', state: 'scored' });
    expect(card).toMatchObject({ newAccountShare: '1.000000', busiestDayShare: '0.143334', timesKnown: 0 });
    expect(card).toMatchObject({ accounts: 300, largestAccountShare: '0.003334' });
    const { items } = await fixture.board('usdc-ngn');
    expect(items[0]).toMatchObject({ anchorId: 'harbour', newAccountShare: '1.000000', timesKnown: 0 });
  });

  it('of an anchor are taken over all its corridors, its accounts and days once each', async () => {
    for (const corridor of ['usdc-ngn', 'usdc-kes']) {
      await insertOutcomes(fixture.parts, 2, (index) => ({
        corridor,
        account: `G${index}`,
        outcome: settled({ timesKnown: corridor === 'usdc-ngn' }),
      }));
    }
    await fixture.feature.refresh();
    expect(await fixture.feature.service.getReputation('harbour', 30)).toMatchObject({
      outcomes: 4,
      timesKnown: 2,
      accounts: 2,
      largestAccountShare: '0.500000',
      busiestDayShare: '1.000000',
    });
  });

  it('are no part of the entries that are published and hashed', async () => {
    await record([['a', 'harbour', '2026-11-21']]);
    await fixture.feature.refresh();
    const { cards: published } = await fixture.feature.publishedCards();
    const members =
      'acceptedDisputes accountDays anchorId anchorOutcomes corridor days90 evidence fillRate filled formula ' +
      'ledgerOutcomes meanShortfall outcomes p50SettleSeconds p95SettleSeconds quotedOutcomes score simulated ' +
      'speedTargetSeconds state timesWithheld window';
    expect(published.length).toBeGreaterThan(0);
    for (const card of published) expect(Object.keys(card).sort().join(' ')).toBe(members);
    const { items } = await fixture.feature.scores.getPublicScores({ limit: undefined, cursor: undefined });
    expect(items).toEqual(published);
  });
});
