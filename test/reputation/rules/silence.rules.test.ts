import { describe, expect, it } from '@jest/globals';
import type { AggregatableIntent } from '../../../server/features/intents/aggregation.js';
import type { IntentOutcome } from '../../../server/features/intents/intent.js';
import { toFields } from '../../../server/features/intents/intent-state.rules.js';
import { planAggregation } from '../../../server/features/reputation/aggregation.rules.js';
import { cardOf, recordOf } from '../../../server/features/reputation/card.rules.js';
import { addRollup, emptyTally } from '../../../server/features/reputation/counters.rules.js';
import { signsOf } from '../../../server/features/reputation/signs.rules.js';
import { emptySpread } from '../../../server/features/reputation/spread.rules.js';
import { at, freshState, minute, second, see } from '../../fixtures/intents/intent-states.js';
import { aggregatable, rollupOf } from '../../fixtures/reputation/aggregatable-intents.js';

const awaitsPayment = {};
const paid = { status: 'pending_external', amount_in: '100', updated_at: at(10 * minute) };
const paidOut = {
  status: 'completed',
  amount_in: '100',
  amount_out: '150000',
  updated_at: at(10 * minute + 70 * second),
};

/** The outcome of a payout of 70 s whose user pays ten minutes after the form, by the records that the anchor shows. */
function outcomeOf(...records: Parameters<typeof see>[1][]): IntentOutcome {
  const { outcome } = toFields(see(freshState(), [second, awaitsPayment], ...records));
  if (outcome === null) throw new Error('it has not ended');
  return outcome;
}

/** The card and its signs for thirty such outcomes of thirty accounts, in a corridor with a speed target of 600 s. */
function cardOfThirty(outcome: IntentOutcome) {
  const intents: AggregatableIntent[] = Array.from({ length: 30 }, (_, index) =>
    aggregatable({ _id: `i${index}`, account: `G${index}`, outcome }),
  );
  const tally = emptyTally();
  for (const delta of planAggregation(intents, new Map()).rollups.values()) addRollup(tally, rollupOf(delta));
  const place = { anchorId: 'harbour', corridor: 'usdc-ngn', window: 30, simulated: true } as const;
  const card = cardOf(recordOf(tally), { ...place, speedTargetSeconds: 600 });
  return { card, signs: signsOf(tally, emptySpread()) };
}

describe('formula v1 takes silence for speed, and the card shows it', () => {
  it('scores an anchor that tells of each payment 81.76, and all its times are known', () => {
    const honest = outcomeOf([10 * minute + second, paid], [10 * minute + 71 * second, paidOut]);
    expect(honest).toMatchObject({ kind: 'settled', settleSeconds: 70, timesKnown: true });
    const { card, signs } = cardOfThirty(honest);
    expect(card).toMatchObject({ outcomes: 30, filled: 30, p50SettleSeconds: 70, score: '81.76' });
    expect(signs).toMatchObject({ timesKnown: 30 });
  });

  it('scores one that tells of the payout alone 88.64, and none of its times is known', () => {
    const silent = outcomeOf([10 * minute + 71 * second, paidOut]);
    expect(silent).toMatchObject({ kind: 'settled', settleSeconds: null, timesKnown: false });
    const { card, signs } = cardOfThirty(silent);
    expect(card).toMatchObject({ outcomes: 30, filled: 30, p50SettleSeconds: null, score: '88.64' });
    expect(signs).toMatchObject({ timesKnown: 0 });
  });

  it('does not call a time known that is assumed to be half of an interval', () => {
    const quick = outcomeOf([31 * second, { ...paidOut, updated_at: at(30 * second) }]);
    expect(quick).toMatchObject({ kind: 'settled', settleSeconds: 14, timesKnown: false });
  });
});
