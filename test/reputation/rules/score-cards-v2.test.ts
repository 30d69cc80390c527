import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ScoreCardV2, scoreCardV2 } from '../../../contract/schemas/score-card.js';
import { canonicalJson } from '../../../contract/verification/canonical-json.js';
import { cardOfV2 } from '../../../server/features/reputation/card.rules.js';
import {
  addRollup,
  emptyCounts,
  emptyTally,
  type Tally,
} from '../../../server/features/reputation/counters.rules.js';
import { settleBucketOf } from '../../../server/features/reputation/settle-histogram.rules.js';
import { signsOf } from '../../../server/features/reputation/signs.rules.js';
import { emptySpread } from '../../../server/features/reputation/spread.rules.js';
import { packed } from '../../fixtures/reputation/aggregatable-intents.js';
import { itWhere, python3 } from '../../support/it-where.js';

const file = new URL('../../vectors/score-cards-v2.json', import.meta.url);
const script = new URL('../../clients/python/recompute_scores.py', import.meta.url);

interface Case {
  name: string;
  place: Pick<
    ScoreCardV2,
    'anchorId' | 'corridor' | 'window' | 'speedTargetSeconds' | 'simulated' | 'formula'
  >;
  tally: VerifiedTally;
  bytes: string;
}

/** The tally of the outcomes that the ledger verifies. */
interface VerifiedTally {
  filled: number;
  notFilled: number;
  accountDays: number;
  acceptedDisputes: number;
  /** Only known times are included. */
  settleSeconds: Record<string, number>;
  shortfallPpb: Record<string, number>;
  timesWithheld: number;
  anchorOutcomes: number;
}

const { cards } = JSON.parse(readFileSync(file, 'utf8')) as { cards: Case[] };

describe('cards of formula v2, fixed byte for byte', () => {
  it.each(cards.map((each) => [each.name, each] as const))('%s', (_name, { place, tally, bytes }) => {
    const card = cardOf(place, tally);
    expect(scoreCardV2.strict().parse(card)).toEqual(card);
    expect(canonicalJson(card)).toBe(bytes);
  });

  itWhere(python3, 'no python3: the second computation of the cards of formula v2')(
    "get the same scores from Python's standard library",
    () => {
      const run = spawnSync('python3', ['-B', script.pathname, 'vectors', file.pathname], {
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect(run.stdout).toBe(`${cards.length} of ${cards.length} cards agree\n`);
      expect(run.status).toBe(0);
    },
  );

  itWhere(python3, 'no python3: the refusal of a formula that is not known')(
    'are refused by the Python script where they name a formula that it does not know',
    () => {
      const items = [
        { ...cardOf(cards[0]?.place as Case['place'], cards[0]?.tally as VerifiedTally), formula: 'v3' },
      ];
      const run = spawnSync('python3', ['-B', script.pathname, 'answer', '-'], {
        input: JSON.stringify({ formula: 'v3', items }),
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect(run.stdout).toBe('a card follows a formula that is not known here: v3\n');
      expect(run.status).toBe(1);
    },
  );
});

describe('a time that an anchor withholds', () => {
  const place = { ...(cards[0]?.place as Case['place']), speedTargetSeconds: 600 };

  it('never raises the score, however slow the payout was', () => {
    const times = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 30, maxLength: 40 });
    fc.assert(
      fc.property(times, fc.nat(), (seconds, chosen) => {
        const withheld = chosen % seconds.length;
        const told = cardOf(place, tallyOf(seconds, 0));
        const silent = cardOf(place, tallyOf(seconds.toSpliced(withheld, 1), 1));
        expect(Number(silent.score)).toBeLessThanOrEqual(Number(told.score));
      }),
    );
  });
});

function tallyOf(seconds: readonly number[], timesWithheld: number): VerifiedTally {
  const settleSeconds: Record<string, number> = {};
  for (const each of seconds) settleSeconds[each] = (settleSeconds[each] ?? 0) + 1;
  const filled = seconds.length + timesWithheld;
  const none = { notFilled: 0, acceptedDisputes: 0, anchorOutcomes: 0 };
  return { ...none, filled, accountDays: filled, settleSeconds, shortfallPpb: {}, timesWithheld };
}

function cardOf(place: Case['place'], given: VerifiedTally): ScoreCardV2 {
  const tally = wholeTally(place, given);
  return cardOfV2(tally, signsOf(tally, emptySpread()), place);
}

/** The tally with all outcomes recorded on one day, and all outcomes on the anchor's word filled at once. */
function wholeTally(place: Case['place'], given: VerifiedTally): Tally {
  const shortfalls = Object.entries(given.shortfallPpb);
  const verifiedSettle: Record<string, number> = {};
  for (const [seconds, count] of Object.entries(given.settleSeconds)) {
    const bucket = settleBucketOf(Number(seconds));
    verifiedSettle[bucket] = (verifiedSettle[bucket] ?? 0) + count;
  }
  const tally = emptyTally();
  addRollup(tally, {
    ...emptyCounts,
    anchorId: place.anchorId,
    corridor: place.corridor,
    day: '2026-11-21',
    filled: given.filled + given.anchorOutcomes,
    notFilled: given.notFilled,
    accountDays: given.accountDays + given.anchorOutcomes,
    settle: packed({ 0: given.anchorOutcomes }),
    verifiedFilled: given.filled,
    verifiedNotFilled: given.notFilled,
    verifiedAccountDays: given.accountDays,
    verifiedQuotedOutcomes: shortfalls.reduce((sum, [, count]) => sum + count, 0),
    verifiedShortfallPpb: shortfalls.reduce((sum, [ppb, count]) => sum + Number(ppb) * count, 0),
    verifiedAcceptedDisputes: given.acceptedDisputes,
    verifiedSettle: packed(verifiedSettle),
  });
  return tally;
}
