import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AggregatableIntent } from '../../../server/features/intents/aggregation.js';
import {
  type AccountDay,
  accountDayKey,
  accountDaysOf,
  planAggregation,
  type RollupDelta,
} from '../../../server/features/reputation/aggregation.rules.js';
import {
  counterNames,
  eachCounter,
  eachHistogram,
  histogramNames,
} from '../../../server/features/reputation/counters.rules.js';
import {
  admittedContribution,
  contributionOf,
  isOutcome,
} from '../../../server/features/reputation/what-counts.rules.js';
import {
  aggregatable,
  expired,
  failed,
  noon,
  settled,
} from '../../fixtures/reputation/aggregatable-intents.js';

/** Roll-ups, account-days and intents, as a database would store them. */
class Ledger {
  readonly intents = new Map<string, AggregatableIntent>();
  readonly accountDays = new Map<string, AccountDay>();
  readonly firstDays = new Map<string, string>();
  readonly rollups = new Map<string, RollupDelta>();

  put(intent: AggregatableIntent): void {
    this.intents.set(intent._id, intent);
  }

  change(id: string, changes: Partial<AggregatableIntent>): void {
    const intent = this.intents.get(id);
    if (intent !== undefined) this.intents.set(id, { ...intent, ...changes, pendingAggregation: true });
  }

  aggregate(batchSize = 500): void {
    for (;;) {
      const batch = [...this.intents.values()]
        .filter(({ pendingAggregation }) => pendingAggregation)
        .slice(0, batchSize);
      if (batch.length === 0) return;
      const keys = accountDaysOf(batch);
      const known = new Map([...this.accountDays].filter(([key]) => keys.includes(key)));
      const plan = planAggregation(batch, known, this.firstDays);
      for (const [account, day] of plan.firstDays) this.firstDays.set(account, day);
      for (const [key, accountDay] of plan.accountDays) this.accountDays.set(key, accountDay);
      for (const [key, delta] of plan.rollups) this.#add(key, delta);
      for (const { _id, ...rest } of plan.intents) {
        const intent = this.intents.get(_id);
        if (intent !== undefined) this.intents.set(_id, { ...intent, ...rest, pendingAggregation: false });
      }
    }
  }

  /** The contents of the roll-ups, computed from the intents themselves. */
  expected() {
    const all = [...this.intents.values()];
    const counted = all.flatMap((intent) => (intent.counted === null ? [] : [{ intent, ...intent.counted }]));
    const days = new Set(
      counted.filter((each) => isOutcome(each)).map((each) => accountDayKey(each.intent, each.day)),
    );
    const verified = counted.filter((each) => each.verified === 1);
    const verifiedDays = new Set(
      verified.filter((each) => isOutcome(each)).map((each) => accountDayKey(each.intent, each.day)),
    );
    return {
      verifiedFilled: verified.filter(({ filled }) => filled === 1).length,
      verifiedNotFilled: verified.filter(({ notFilled }) => notFilled === 1).length,
      verifiedAccountDays: verifiedDays.size,
      verifiedQuotedOutcomes: verified.filter(({ shortfallPpb }) => shortfallPpb !== null).length,
      verifiedShortfallPpb: verified.reduce((sum, { shortfallPpb }) => sum + (shortfallPpb ?? 0), 0),
      verifiedAcceptedDisputes: verified.filter(({ acceptedDispute }) => acceptedDispute === 1).length,
      verifiedSettle: verified.filter(
        ({ settleBucket, timesKnown }) => timesKnown === 1 && settleBucket !== null,
      ).length,
      filled: counted.filter(({ filled }) => filled === 1).length,
      notFilled: counted.filter(({ notFilled }) => notFilled === 1).length,
      accountDays: days.size,
      quotedOutcomes: counted.filter(({ shortfallPpb }) => shortfallPpb !== null).length,
      shortfallPpb: counted.reduce((sum, { shortfallPpb }) => sum + (shortfallPpb ?? 0), 0),
      acceptedDisputes: counted.filter(({ acceptedDispute }) => acceptedDispute === 1).length,
      timesKnown: counted.filter(({ timesKnown }) => timesKnown === 1).length,
      newAccountOutcomes: counted.filter(({ newAccount }) => newAccount === 1).length,
      settle: counted.filter(({ settleBucket }) => settleBucket !== null).length,
    };
  }

  totals() {
    const totals = { ...eachCounter(() => 0), ...eachHistogram(() => 0) };
    for (const rollup of this.rollups.values()) {
      for (const name of counterNames) totals[name] += rollup[name];
      for (const name of histogramNames) for (const count of rollup[name].values()) totals[name] += count;
    }
    return totals;
  }

  #add(key: string, delta: RollupDelta): void {
    const rollup = this.rollups.get(key);
    if (rollup === undefined) {
      this.rollups.set(key, delta);
      return;
    }
    for (const name of counterNames) rollup[name] += delta[name];
    for (const name of histogramNames)
      for (const [bucket, change] of delta[name]) {
        rollup[name].set(bucket, (rollup[name].get(bucket) ?? 0) + change);
      }
  }
}

const outcome: fc.Arbitrary<AggregatableIntent['outcome']> = fc
  .record({
    kind: fc.nat(3),
    day: fc.nat(2),
    timesKnown: fc.boolean(),
    evidence: fc.constantFrom('ledger', 'anchor', 'unverified'),
  })
  .map(({ kind, day, timesKnown, evidence }) => {
    const recordedAt = new Date(noon.getTime() + day * 86_400_000);
    return [
      null,
      settled({ recordedAt, shortfallPpb: 5, timesKnown, evidence }),
      failed({ recordedAt, evidence }),
      expired({ recordedAt }),
    ][kind] as AggregatableIntent['outcome'];
  });
const effect = fc.constantFrom<AggregatableIntent['disputeEffect']>(
  null,
  'counts_filled',
  'counts_not_filled',
  'not_counted',
);
const step = fc.record({
  id: fc.nat(19),
  outcome,
  disputeEffect: effect,
  scored: fc.boolean(),
  aggregate: fc.boolean(),
});

describe('aggregating', () => {
  it('keeps the roll-ups equal to the intents, after any changes in any batches', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 7 }), (steps, batchSize) => {
        const ledger = new Ledger();
        for (let id = 0; id < 20; id++) {
          ledger.put(
            aggregatable({
              _id: `i${id}`,
              account: `G${id % 3}`,
              corridor: id % 2 ? 'usdc-ngn' : 'usdc-kes',
            }),
          );
        }
        for (const { id, aggregate, ...changes } of steps) {
          ledger.change(`i${id}`, changes);
          if (aggregate) ledger.aggregate(batchSize);
        }
        ledger.aggregate(batchSize);
        expect(ledger.totals()).toEqual(ledger.expected());
        for (const { admitted, counting } of ledger.accountDays.values()) {
          expect(admitted).toBeLessThanOrEqual(3);
          expect(counting).toBeGreaterThanOrEqual(0);
          expect(counting).toBeLessThanOrEqual(3);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('counts three of 500 outcomes of one account on one day, and one account-day', () => {
    const ledger = new Ledger();
    for (let id = 0; id < 500; id++) ledger.put(aggregatable({ _id: `i${id}`, outcome: settled() }));
    ledger.aggregate(64);
    expect(ledger.totals()).toMatchObject({ filled: 3, accountDays: 1 });
  });

  it('gives the places of an account-day to the earliest outcomes of a batch', () => {
    const ledger = new Ledger();
    for (let id = 0; id < 6; id++) {
      const recordedAt = new Date(noon.getTime() - id * 1_000);
      ledger.put(aggregatable({ _id: `i${id}`, outcome: settled({ recordedAt }) }));
    }
    ledger.aggregate();
    const admitted = [...ledger.intents.values()].filter(({ counted }) => counted !== null);
    expect(admitted.map(({ _id }) => _id).sort()).toEqual(['i3', 'i4', 'i5']);
  });

  it('never gives a place back, so that a disputed outcome lets no fourth one in', () => {
    const ledger = new Ledger();
    for (let id = 0; id < 3; id++) ledger.put(aggregatable({ _id: `i${id}`, outcome: settled() }));
    ledger.aggregate();
    ledger.change('i0', { disputeEffect: 'not_counted' });
    ledger.aggregate();
    ledger.put(aggregatable({ _id: 'i3', outcome: settled() }));
    ledger.aggregate();
    expect(ledger.totals()).toMatchObject({ filled: 2, acceptedDisputes: 1, accountDays: 1 });
    expect(ledger.intents.get('i3')).toMatchObject({ counted: null, admission: { admitted: false } });
  });

  it('removes the account-day when its only outcome no longer counts', () => {
    const ledger = new Ledger();
    ledger.put(aggregatable({ _id: 'i0', outcome: settled() }));
    ledger.aggregate();
    expect(ledger.totals()).toMatchObject({ filled: 1, accountDays: 1 });
    ledger.change('i0', { disputeEffect: 'not_counted' });
    ledger.aggregate();
    expect(ledger.totals()).toMatchObject({ filled: 0, accountDays: 0, acceptedDisputes: 1 });
  });

  it('moves a recovered intent from failed to filled on the day it failed on', () => {
    const ledger = new Ledger();
    ledger.put(aggregatable({ _id: 'i0', outcome: failed() }));
    ledger.aggregate();
    ledger.change('i0', { outcome: settled() });
    ledger.aggregate();
    expect([...ledger.rollups.keys()]).toEqual(['harbour 2026-11-21 usdc-ngn']);
    expect(ledger.totals()).toMatchObject({ filled: 1, notFilled: 0, accountDays: 1, settle: 1 });
  });

  it('treats documents without the member `admission` as undecided', () => {
    const { admission: _absent, ...older } = aggregatable({ outcome: settled() });
    const plan = planAggregation([older as AggregatableIntent], new Map());
    const admission = { day: '2026-11-21', admitted: true, newAccount: true } as const;
    const counted = admittedContribution(contributionOf(older), admission);
    expect(plan.intents).toEqual([{ _id: older._id, counted, admission }]);
    expect(counted).toMatchObject({ filled: 1, newAccount: 1 });
  });
});
