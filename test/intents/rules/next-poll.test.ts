import { describe, expect, it } from '@jest/globals';
import type { Intent } from '../../../server/features/intents/intent.js';
import { withNamed } from '../../../server/features/intents/payment/payment-state.rules.js';
import { createMakeProgress, type Report } from '../../../server/features/intents/transition/progress.js';
import { account, minute, startMs } from '../../fixtures/intents/intent-states.js';
import { unpaidIntent } from '../../fixtures/intents/stored-intents.js';

const hash = 'a'.repeat(64);
const nowMs = startMs + minute;
const due = new Date(nowMs + 1_000);
const instructions = [{ account, memo: '7', memoType: 'id', storedAtMs: startMs }];
const lookUp: Report = {
  learned: {
    by: 'wallet',
    hash,
    finding: { kind: 'problem', problem: 'ledger_unavailable', contradicts: false },
  },
};

/** When an intent whose next poll is due a second from now is polled next, after this report. */
async function nextPollAfter(report: Report, changes: Partial<Intent> = {}): Promise<number | undefined> {
  const fresh = unpaidIntent(1, {
    transactionId: 'tx1',
    attachedAt: new Date(startMs),
    poll: 'unconfirmed',
    due,
  });
  const payment = withNamed({ ...fresh.payment, instructions }, hash, 'wallet', startMs);
  const intent = { ...fresh, payment, ...changes };
  let saved: Date | undefined;
  const progress = createMakeProgress({
    store: {
      findByHash: async () => intent,
      findCurrent: async () => intent,
      async saveProgress({ after }) {
        saved = after.due;
        return true;
      },
    },
    passing: { passToSender: async () => 'no_claimant' },
    inTransaction: async (work) => work({} as never),
    writeEvent: async () => 'evt_1',
    markDays: async () => undefined,
    clock: () => nowMs,
    pauseBeforeTry: async () => undefined,
    limits: { failureGraceMs: 86_400_000, ledger: true },
  });
  await progress(intent._id, report);
  return saved?.getTime();
}

describe('the next poll of an intent', () => {
  it('is not postponed by a ledger look-up', async () => {
    expect(await nextPollAfter(lookUp)).toBe(due.getTime());
  });

  it('is not postponed by a report that only time has passed', async () => {
    expect(await nextPollAfter({ learned: null })).toBe(due.getTime());
  });

  it('is a full interval later after a poll', async () => {
    expect(await nextPollAfter({ learned: null, polledAtMs: nowMs })).toBeGreaterThan(due.getTime());
  });

  it('is brought forward to the present pace by a look-up', async () => {
    const late = { due: new Date(nowMs + 60 * minute) };
    expect(await nextPollAfter(lookUp, late)).toBe(nowMs + minute);
  });
});
