import { describe, expect, it } from '@jest/globals';
import type { Intent } from '../../../server/features/intents/intent.js';
import { nothingKnown } from '../../../server/features/intents/payment/payment-state.rules.js';
import { nothingObserved } from '../../../server/features/intents/transition/settle-time.rules.js';
import { stepsOf } from '../../../server/features/intents/transition/steps.rules.js';
import { day, minute, startMs } from '../../fixtures/intents/intent-states.js';
import { unpaidIntent } from '../../fixtures/intents/stored-intents.js';

const at = (ms: number) => new Date(startMs + ms);
const kinds = (intent: Intent) => stepsOf(intent).map(({ kind }) => kind);

/** The intent after a write, which also stores the steps that result from it. */
function written(before: Intent, change: Partial<Intent>, releasedAt?: Date): Intent {
  const after = { ...before, ...change, steps: stepsOf(before) };
  return { ...after, steps: stepsOf(after, releasedAt) };
}

const attached = { transactionId: 'tx-1', attachedAt: at(minute) };
const told = (status: string, fields: Partial<Intent['observations']> = {}) =>
  ({
    observations: {
      ...nothingObserved,
      status,
      firstAtMs: startMs,
      lastAtMs: startMs + 2 * minute,
      ...fields,
    },
  }) as Pick<Intent, 'observations'>;
const outcome = (kind: 'settled' | 'failed' | 'expired', recordedAt: Date) =>
  ({ status: kind, outcome: { kind, recordedAt } }) as Pick<Intent, 'status' | 'outcome'>;
const funded = { fundedAtMs: startMs + 3 * minute };

describe('the steps of an intent', () => {
  it('follow each write, in the order in which they were written', () => {
    let intent = unpaidIntent(1);
    expect(kinds(intent)).toEqual(['registered']);
    intent = written(intent, attached);
    intent = written(intent, told('pending_user_transfer_start'));
    intent = written(intent, told('pending_anchor', funded));
    intent = written(intent, { ...told('completed', funded), ...outcome('settled', at(5 * minute)) });
    expect(kinds(intent)).toEqual([
      'registered',
      'transaction_attached',
      'transaction_status',
      'transaction_status',
      'funds_received',
      'transaction_status',
      'settled',
    ]);
  });

  it('are never taken back: replacing the transaction adds a step and moves none', () => {
    const first = { ...unpaidIntent(4), ...attached };
    const second = written(first, { transactionId: 'tx-2', attachedAt: at(2 * minute) });
    expect(stepsOf(second)).toEqual([
      ...stepsOf(first),
      { kind: 'transaction_attached', at: at(2 * minute) },
    ]);
  });

  it('tell that a transaction passed to another intent, and begin anew with the next one', () => {
    let intent = written({ ...unpaidIntent(5), ...attached }, told('pending_anchor', funded));
    const { transactionId: _, ...without } = intent;
    intent = { ...without, attachedAt: null, observations: nothingObserved, payment: nothingKnown };
    intent = { ...intent, steps: stepsOf(intent, at(9 * minute)) };
    expect(stepsOf(intent).at(-1)).toEqual({ kind: 'transaction_released', at: at(9 * minute) });
    intent = written(intent, {
      transactionId: 'tx-3',
      attachedAt: at(10 * minute),
      ...told('pending_anchor', funded),
    });
    expect(kinds(intent).slice(-3)).toEqual(['transaction_attached', 'transaction_status', 'funds_received']);
  });

  it('tell that an expired intent is followed again when its payment is found', () => {
    const expired = written(unpaidIntent(6), outcome('expired', at(day)));
    const payment = {
      ...nothingKnown,
      found: { lookedUpAtMs: startMs + 2 * day },
      takenUpAtMs: startMs + 2 * day,
    };
    const again = written(expired, { status: 'pending', outcome: null, payment } as Partial<Intent>);
    expect(kinds(again)).toEqual(['registered', 'expired', 'reopened', 'payment_found']);
  });

  it('are bounded where they can be repeated at will, and never lack the outcome', () => {
    let intent = unpaidIntent(7);
    for (let times = 1; times <= 300; times += 1) {
      intent = written(intent, { transactionId: `tx-${times}`, attachedAt: at(times) });
    }
    expect(stepsOf(intent)).toHaveLength(100);
    intent = written(intent, outcome('expired', at(day)));
    expect(kinds(intent).at(-1)).toBe('expired');
  });
});
