import { describe, expect, it } from '@jest/globals';
import type { Intent } from '../../../server/features/intents/intent.js';
import { payableUntilMs } from '../../../server/features/intents/payment/payment-match.rules.js';
import {
  type Finding,
  type FoundPayment,
  nothingKnown,
  withNamed,
} from '../../../server/features/intents/payment/payment-state.rules.js';
import { nextLookMs } from '../../../server/features/intents/polls/next-look.rules.js';
import { transition } from '../../../server/features/intents/transition/transition.rules.js';
import {
  account,
  at,
  courseOf,
  day,
  freshState,
  hour,
  minute,
  outcome,
  record,
  rowsOf,
  second,
  sellAsset,
  startMs,
} from '../../fixtures/intents/intent-states.js';

type Raw = Record<string, unknown>;
const hash = 'a'.repeat(64);
/** When the ledger of the payment closed. */
const closedMs = hour;
const payable = { withdraw_anchor_account: account, withdraw_memo: '7', withdraw_memo_type: 'id' };
const completed = { status: 'completed', amount_in: '100', amount_out: '150000' };
const soon = at(closedMs + 5 * second);
const ready = { ...completed, status: 'pending_user_transfer_complete', updated_at: soon };
const quick = { ...completed, completed_at: soon };
const records: Record<string, Raw> = {
  ...{ payable, completed, ready, quick },
  named: { ...completed, stellar_transaction_id: hash },
  quickNamed: { ...quick, stellar_transaction_id: hash },
  otherSender: { ...payable, from: 'GDNDEI3B7PZCHUBXEFDE6G2F2J2DWEXFLDTBCYCGH7O2ECA36A4QTAIO' },
  external: { ...payable, status: 'pending_external' },
  otherAmount: { ...payable, status: 'pending_external', amount_in: '1' },
  noAmount: { status: 'completed', amount_out: '150000' },
  expired: { ...payable, status: 'expired' },
  old: { ...payable, started_at: '2020-01-01T00:00:00Z' },
  deposit: { ...payable, kind: 'deposit' },
  euro: { ...payable, amount_in_asset: 'iso4217:EUR' },
  mended: { ...payable, kind: 'withdrawal', started_at: at(0), amount_in_asset: sellAsset },
  slow: { ...completed, completed_at: at(20 * hour) },
  late: { ...completed, completed_at: at(closedMs + 3 * hour - 5 * minute) },
};

const found: FoundPayment = {
  ...{ hash, by: 'wallet', operationId: '1', position: 1, kind: 'payment', ledger: 1, memo: null },
  ...{ from: account, fromMuxedId: null, to: account, toMuxedId: null, asset: sellAsset, amount: '95' },
  ...{ closedAtMs: startMs + closedMs, lookedUpAtMs: startMs + closedMs, source: 'rpc' },
};
const failed: Finding = { kind: 'problem', problem: 'transaction_failed', contradicts: true };
const follow = (course: string, state = freshState()) =>
  courseOf(course).reduce((now, [afterMs, what]) => after(now, afterMs, what), state);

/** How an intent ends whose record told after a minute where to pay, the evidence, and why it does not count. */
const table = `
paid                          | 2h found                                    | pending
another sender is named       | 2m otherSender, 2h found                    | pending
paid, says the record         | 2m external, 2h found                       | pending
another amount is named       | 2m otherAmount, 2h found                    | pending
no amount is named            | 90m noAmount                                | settled completed unverified | amount_missing
no amount is named, but paid  | 90m noAmount, 2h found                      | settled completed ledger
old, said so before           | 59m59s old, 61m old, 2h found               | pending | started_before_intent
a deposit, said so before     | 59m59s deposit, 61m deposit, 2h found       | pending | not_a_withdrawal
another asset, said so before | 59m59s euro, 61m euro, 2h found             | pending | asset_mismatch
a deposit, said so afterwards | 1h deposit                                  | pending | not_a_withdrawal
the same, paid before that    | 1h deposit, 2h found                        | pending
a deposit, mended before      | 2m deposit, 3m mended, 90m deposit, 2h found | pending
closed by the anchor          | 2h expired                                  | expired abandoned unverified
the same, paid, not asked yet | 2h expired, 10d found, 10d1h nothing        | pending
the same, settled then        | 2h expired, 10d found, 10d1m completed      | settled completed ledger
the same, still closed        | 2h expired, 10d found, 10d1m expired        | pending
still closed for a day        | 2h expired, 10d found, 10d1m expired, 11d nothing | failed error ledger
closed, and then silent       | 2h expired, 10d found, 10d23h59m59s nothing | pending
closed, and silent for a day  | 2h expired, 10d found, 11d nothing          | failed error ledger
seen by nobody                | 2d nothing                                  | expired never_funded unverified
the same, paid, not asked yet | 2d nothing, 10d found, 10d1h nothing        | pending
the same, settled then        | 2d nothing, 10d found, 10d1m completed      | settled completed ledger
the same, open still          | 2d nothing, 10d found, 10d1m payable        | failed overdue ledger
the same, and silent          | 2d nothing, 10d found, 10d23h59m59s nothing | pending
the same, silent for a day    | 2d nothing, 10d found, 11d nothing          | failed overdue ledger
settled before it was found   | 90m completed, 2d found                     | settled completed ledger
named by the anchor           | 90m named, 1d nothing                       | pending
named, unknown for a day      | 90m named, 26h nothing                      | settled completed unverified
named, and refuted            | 90m named, 2h refuted                       | pending
refuted, and nothing else     | 90m named, 2h refuted, 2d nothing           | expired never_funded unverified
`;

/** The settle time in seconds of a payment that was found a second after its ledger closed. */
const times = `
done at once, told after 19 hours         | 20h quick                     | null
the same, having been shown open          | 1h2s external, 20h quick      | null
cash ready at once, told after 19 hours   | 20h ready, 21h completed      | null
done 5 s after it, told within a minute   | 1h1m5s quick                  | 5
the same, told a little later             | 1h1m6s quick                  | null
done after 19 hours, told then            | 20h slow                      | 68400
done 5 minutes ago, after 3 hours         | 4h late                       | 10500
cash ready at once, collected later       | 1h20s ready, 9d completed     | 5
`;

describe('a payment that the ledger shows', () => {
  it.each(rowsOf(table))('ends the intent by the table: %s', (_what, course = '', end = '', reason = '') => {
    const state = follow(`1m payable, ${course}`);
    const evidence = state.outcome === null ? '' : ` ${state.outcome.evidence}`;
    expect(outcome(state) + evidence).toBe(end);
    expect(state.unscoredReason ?? '').toBe(reason);
  });

  it.each(rowsOf(times))('times the payout: %s', (_what, course = '', expected = '') => {
    const { settleSeconds, timesKnown } = follow(`1m payable, 1h1s found, ${course}`).outcome ?? {};
    expect([String(settleSeconds), timesKnown]).toEqual([expected, expected !== 'null']);
  });

  it.each(['1m payable, 20h quickNamed, 20h1m shown', '1m payable, 59m completed, 1h1s found'])(
    'does not time a payout that was told before the payment was known: %s',
    (course) => {
      const untimed = { evidence: 'ledger', settleSeconds: null, timesKnown: false };
      expect(follow(course).outcome).toMatchObject(untimed);
    },
  );

  it('is received when its ledger closed, in its amount, counts for who attached in time, and keeps the day', () => {
    const { observations, amountIn } = follow('1m payable, 2h found');
    const closedAtMs = startMs + closedMs;
    expect(observations).toMatchObject({ fundedAtMs: closedAtMs, paidAtMs: closedAtMs });
    expect(amountIn).toBe('95');
    const late = freshState({ attachedAt: new Date(startMs + 3 * hour) });
    expect(follow('4h payable, 5h found', late).unscoredReason).toBe('seen_after_payment');
    const settled = follow('1m payable, 90m completed');
    const verified = after(settled, 2 * day, 'found').outcome;
    expect(verified).toMatchObject({ settleSeconds: 1_800, timesKnown: true });
    expect(verified?.recordedAt).toEqual(settled.outcome?.recordedAt);
  });

  it('has the anchor asked again soon where the intent had expired', () => {
    const open = follow('1m payable, 2h expired, 10d found');
    expect(nextLookMs(open, startMs + 10 * day, true)).toBe(startMs + 10 * day + 15 * second);
  });

  it('is on nobody where no ledger is asked: the word of the anchor settles', () => {
    const seen = (state: Intent, afterMs: number, raw: Raw) =>
      transition(state, { record: record(raw), observedAtMs: startMs + afterMs }, startMs + afterMs, {
        ledger: false,
      });
    const ended = seen(seen(freshState(), minute, payable), hour, records.named ?? {});
    expect([outcome(ended), ended.outcome?.evidence]).toEqual(['settled completed', 'anchor']);
    expect(ended.payment).toEqual(nothingKnown);
  });
});

it('a poll that is answered after the payment closed makes it neither late nor faulty, however early it was asked', () => {
  const waiting = follow('1m payable');
  const storedAtMs = found.closedAtMs + 2 * second;
  const answered = (raw: Raw) => {
    const seen = { record: record({ ...payable, ...raw }), observedAtMs: found.closedAtMs - 3 * second };
    return transition(waiting, seen, storedAtMs, { ledger: true });
  };
  const closed = answered({ status: 'expired' });
  expect(payableUntilMs(closed)).toBe(storedAtMs);
  expect(closed.observations).toMatchObject({ unfundedAtMs: found.closedAtMs - 3 * second });
  expect(after(answered({ kind: 'deposit' }), 2 * hour, 'found').unscoredReason).toBeNull();
  const places = answered({ withdraw_memo: '8' }).payment.instructions;
  expect(places.map((each) => each.storedAtMs)).toEqual([startMs + minute, storedAtMs]);
});

/** `found`: the wallet names the payment and the ledger shows it; `shown`, `refuted`: so of what the record named. */
function after(state: Intent, afterMs: number, what: string): Intent {
  const nowMs = startMs + afterMs;
  const told = (learned: Parameters<typeof transition>[1], of = state) =>
    transition(of, learned, nowMs, { ledger: true });
  if (what === 'nothing') return told(null);
  if (what === 'refuted') return told({ by: 'anchor', hash, finding: failed });
  if (what === 'shown')
    return told({ by: 'anchor', hash, finding: { kind: 'found', payment: { ...found, by: 'anchor' } } });
  if (what === 'found') {
    const payment = withNamed(state.payment, hash, 'wallet', nowMs);
    return told({ by: 'wallet', hash, finding: { kind: 'found', payment: found } }, { ...state, payment });
  }
  const raw = records[what];
  if (raw === undefined) throw new Error(`no record is called ${what}`);
  return told({ record: record(raw), observedAtMs: nowMs });
}
