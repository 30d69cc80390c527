import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type ScoreCard, scoreCard } from '../../../contract/schemas/score-card.js';
import { canonicalJson } from '../../../contract/verification/canonical-json.js';
import { cardOf, recordOf } from '../../../server/features/reputation/card.rules.js';
import { addRollup, emptyCounts, emptyTally } from '../../../server/features/reputation/counters.rules.js';
import { settleBucketOf } from '../../../server/features/reputation/settle-histogram.rules.js';
import { packed } from '../../fixtures/reputation/aggregatable-intents.js';
import { itWhere, python3 } from '../../support/it-where.js';

const file = new URL('../../vectors/score-cards.json', import.meta.url);
const script = new URL('../../clients/python/recompute_scores.py', import.meta.url);

interface Case {
  name: string;
  place: Pick<ScoreCard, 'anchorId' | 'corridor' | 'window' | 'speedTargetSeconds' | 'simulated'>;
  tally: {
    filled: number;
    notFilled: number;
    accountDays: number;
    acceptedDisputes: number;
    settleSeconds: Record<string, number>;
    shortfallPpb: Record<string, number>;
  };
  bytes: string;
}

const { cards } = JSON.parse(readFileSync(file, 'utf8')) as { cards: Case[] };

describe('ten cards, fixed byte for byte', () => {
  it('are ten', () => expect(cards).toHaveLength(10));

  it.each(cards.map((each) => [each.name, each] as const))('%s', (_name, { place, tally, bytes }) => {
    const card = cardOf(recordOf(tallyOf(place, tally)), place);
    expect(scoreCard.strict().parse(card)).toEqual(card);
    expect(canonicalJson(card)).toBe(bytes);
  });

  itWhere(python3, 'no python3: the second computation of the score cards')(
    "get the same scores from Python's standard library",
    () => {
      const run = spawnSync('python3', ['-B', script.pathname, 'vectors', file.pathname], {
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect(run.stdout).toBe('10 of 10 cards agree\n');
      expect(run.status).toBe(0);
    },
  );
});

/** The tally with all outcomes recorded on one day. */
function tallyOf(place: Case['place'], given: Case['tally']) {
  const shortfalls = Object.entries(given.shortfallPpb);
  const settle: Record<string, number> = {};
  for (const [seconds, count] of Object.entries(given.settleSeconds)) {
    const bucket = settleBucketOf(Number(seconds));
    settle[bucket] = (settle[bucket] ?? 0) + count;
  }
  const tally = emptyTally();
  addRollup(tally, {
    anchorId: place.anchorId,
    corridor: place.corridor,
    day: '2026-11-21',
    ...emptyCounts,
    filled: given.filled,
    notFilled: given.notFilled,
    accountDays: given.accountDays,
    quotedOutcomes: shortfalls.reduce((sum, [, count]) => sum + count, 0),
    shortfallPpb: shortfalls.reduce((sum, [ppb, count]) => sum + Number(ppb) * count, 0),
    acceptedDisputes: given.acceptedDisputes,
    settle: packed(settle),
  });
  return tally;
}
