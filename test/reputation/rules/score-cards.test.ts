import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ScoreCard, scoreCard } from '../../../contract/schemas/score-card.js';
import { canonicalJson } from '../../../contract/verification/canonical-json.js';
import { cardOf } from '../../../server/features/reputation/card.rules.js';
import {
  emptySums,
  packCounts,
  settleBucketOf,
} from '../../../server/features/reputation/day-count.rules.js';
import { addRollup, emptyTally, judgeTimes } from '../../../server/features/reputation/tally.rules.js';
import { itWhere, python3 } from '../../support/it-where.js';

const file = new URL('../../vectors/score-cards.json', import.meta.url);
const script = new URL('../../clients/python/recompute_scores.py', import.meta.url);

type Place = Pick<
  ScoreCard,
  'anchorId' | 'corridor' | 'window' | 'speedTargetSeconds' | 'simulated' | 'formula' | 'evidence'
>;

/** What counts by the evidence. */
interface Counted {
  filled: number;
  notFilled: number;
  accountDays: number;
  days90: number;
  acceptedDisputes: number;
  /** Only known times are included. */
  settleSeconds: Record<string, number>;
  shortfallPpb: Record<string, number>;
  timesWithheld: number;
  anchorOutcomes: number;
}

const { cards } = JSON.parse(readFileSync(file, 'utf8')) as {
  cards: { name: string; place: Place; tally: Counted; bytes: string }[];
};

describe('cards, fixed byte for byte', () => {
  it.each(cards.map((each) => [each.name, each] as const))('%s', (_name, { place, tally, bytes }) => {
    const card = cardFrom(place, tally);
    expect(scoreCard.strict().parse(card)).toEqual(card);
    expect(canonicalJson(card)).toBe(bytes);
  });

  itWhere(python3, 'no python3: the second computation of the score cards')(
    "get the same scores from Python's standard library, which refuses a formula that it does not know",
    () => {
      const items = cards.map(({ bytes }) => JSON.parse(bytes) as ScoreCard);
      const recomputed = runPython({ formula: 'v1', items });
      expect(recomputed).toMatchObject({ status: 0, stdout: `${items.length} cards, 0 differences\n` });
      const unknown = 'a card follows a formula that is not known here: v3\n';
      const other = { formula: 'v3', items: [{ ...items[0], formula: 'v3' }] };
      expect(runPython(other)).toMatchObject({ status: 1, stdout: unknown });
    },
  );
});

it('a time that an anchor withholds never raises the score, however slow the payout was', () => {
  const place = { ...(cards[0]?.place as Place), speedTargetSeconds: 600 };
  const scoreWith = (seconds: readonly number[], timesWithheld: number) => {
    const settleSeconds: Record<string, number> = {};
    for (const each of seconds) settleSeconds[each] = (settleSeconds[each] ?? 0) + 1;
    const filled = seconds.length + timesWithheld;
    const none = { notFilled: 0, acceptedDisputes: 0, anchorOutcomes: 0, shortfallPpb: {} };
    return cardFrom(place, { ...none, filled, accountDays: filled, days90: 7, settleSeconds, timesWithheld })
      .score;
  };
  const times = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 30, maxLength: 40 });
  fc.assert(
    fc.property(times, fc.nat(), (seconds, chosen) => {
      const silent = scoreWith(seconds.toSpliced(chosen % seconds.length, 1), 1);
      expect(Number(silent)).toBeLessThanOrEqual(Number(scoreWith(seconds, 0)));
    }),
  );
});

/** The card of these outcomes, all of them recorded on one day. */
function cardFrom({ formula: _, ...place }: Place, given: Counted): ScoreCard {
  const shortfalls = Object.entries(given.shortfallPpb);
  const settle = new Map<number, number>();
  for (const [seconds, count] of Object.entries(given.settleSeconds)) {
    const bucket = settleBucketOf(Number(seconds));
    settle.set(bucket, (settle.get(bucket) ?? 0) + count);
  }
  const { filled, notFilled, accountDays, acceptedDisputes, anchorOutcomes } = given;
  const tally = emptyTally();
  addRollup(tally, {
    ...emptySums(),
    ...{ anchorId: place.anchorId, corridor: place.corridor, day: '2026-11-21' },
    ...{ filled, notFilled, accountDays, acceptedDisputes, anchorOutcomes },
    ledgerOutcomes: place.evidence === 'ledger' ? filled + notFilled : 0,
    quotedOutcomes: shortfalls.reduce((sum, [, count]) => sum + count, 0),
    shortfallPpb: shortfalls.reduce((sum, [ppb, count]) => sum + Number(ppb) * count, 0),
    settle: packCounts(settle),
    accounts: packCounts(new Map()),
  });
  return cardOf(judgeTimes(tally, place.evidence, place.speedTargetSeconds), given.days90, place);
}

function runPython(answer: object) {
  const input = JSON.stringify(answer);
  return spawnSync('python3', ['-B', script.pathname], { input, encoding: 'utf8', timeout: 20_000 });
}
