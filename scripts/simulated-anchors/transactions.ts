import { createHash } from 'node:crypto';
import { type AnchorContext, termsFor } from './context.js';
import { payoutPlacesOf } from './corridors.js';
import { priceForSell } from './pricing.js';
import { Amount } from './rates.js';
import {
  delays,
  drawEnding,
  drawMs,
  drawPpm,
  type Step,
  stepsAfterPayment,
  stepsUntilPayment,
} from './settlement.js';
import type { Ending } from './types.js';
import type { Withdrawal } from './withdrawal.js';

/** The most an anchor keeps; the oldest with nothing more to come makes room. */
const keptLimit = 5_000;
const unpaid: ReadonlySet<string> = new Set(['incomplete', 'pending_user_transfer_start', 'expired']);

export type Begin = Pick<Withdrawal, 'protocol' | 'kind' | 'owner' | 'from' | 'sellAsset' | 'buyAsset'> &
  Pick<Withdrawal, 'deliveryMethod' | 'quoteId' | 'pricedMs' | 'amountIn' | 'callbackUrl'>;

export interface Payment {
  amount?: string | undefined;
  from?: string | undefined;
  stellarTransactionId?: string | undefined;
  /** Decides the ending where the temper would draw one. */
  ending?: Ending | undefined;
}

export interface Withdrawals {
  /** Null when it is full of open ones. */
  begin(begin: Begin): Withdrawal | null;
  find(id: string): Withdrawal | undefined;
  all(): Withdrawal[];
  /** The form is filled in: a payment is waited for. */
  submitForm(withdrawal: Withdrawal): void;
  /** The payment arrived; a text says why it cannot have. */
  pay(withdrawal: Withdrawal, payment: Payment): string | null;
  amend(withdrawal: Withdrawal, fields: Record<string, unknown>): void;
  /** Takes every step that is due by the clock, in order. */
  advance(): void;
  restore(saved: readonly Withdrawal[]): void;
  /** True once after any change. */
  takeChanged(): boolean;
}

function hexOf(label: string): string {
  return createHash('sha256').update(label).digest('hex');
}

/** The withdrawals of one anchor, moved by payments and the clock; `onChange` hears of every new status. */
export function createWithdrawals(
  context: AnchorContext,
  onChange: (changed: Withdrawal) => void,
): Withdrawals {
  const { clock, random, pace, definition } = context;
  const kept = new Map<string, Withdrawal>();
  let changed = false;
  let begun = 0;

  function freshId(): string {
    begun += 1;
    const hex = hexOf(`${definition.id} ${clock()} ${random()} ${begun}`);
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
      '-',
    );
  }

  function makeRoom(): boolean {
    if (kept.size < keptLimit) return true;
    for (const [id, { steps }] of kept) {
      if (steps.length === 0) return kept.delete(id);
    }
    return false;
  }

  function move(withdrawal: Withdrawal, step: Step): void {
    withdrawal.status = step.status;
    withdrawal.updatedMs = step.atMs;
    withdrawal.message = step.message ?? null;
    if (step.effect === 'pay-out') payOut(context, withdrawal);
    if (step.effect === 'refund' || step.effect === 'refund-old') refund(withdrawal, step.effect);
    if (step.status === 'completed' || step.status === 'refunded') withdrawal.completedMs = step.atMs;
    changed = true;
    onChange(withdrawal);
  }

  function takeDue(withdrawal: Withdrawal, now: number): void {
    let next = withdrawal.steps[0];
    while (next !== undefined && next.atMs <= now) {
      withdrawal.steps.shift();
      move(withdrawal, next);
      next = withdrawal.steps[0];
    }
  }

  return {
    begin(begin) {
      if (!makeRoom()) return null;
      const now = clock();
      const interactive = begin.protocol === 'sep24';
      const steps = stepsUntilPayment(now, random, pace);
      const withdrawal: Withdrawal = {
        ...begin,
        id: freshId(),
        status: interactive ? 'incomplete' : 'pending_user_transfer_start',
        message: null,
        startedMs: now,
        updatedMs: now,
        completedMs: null,
        amountOut: null,
        fee: null,
        stellarTransactionId: null,
        refund: null,
        ending: null,
        shortfallPpm: 0,
        steps: interactive ? steps : steps.slice(1),
        amended: {},
      };
      kept.set(withdrawal.id, withdrawal);
      changed = true;
      return withdrawal;
    },
    find: (id) => kept.get(id),
    all: () => [...kept.values()],
    submitForm(withdrawal) {
      const [form] = withdrawal.steps;
      if (withdrawal.status !== 'incomplete' || form === undefined) return;
      withdrawal.steps.shift();
      move(withdrawal, { ...form, atMs: clock() });
    },
    pay(withdrawal, payment) {
      const amount = payment.amount ?? withdrawal.amountIn;
      if (!unpaid.has(withdrawal.status))
        return `a withdrawal in status ${withdrawal.status} takes no payment`;
      if (amount === null) return 'the amount is not known: say it';
      const now = clock();
      const temper = context.temper().settlement;
      const ending = payment.ending ?? drawEnding(temper, random);
      withdrawal.amountIn = amount;
      withdrawal.from = payment.from ?? withdrawal.from;
      withdrawal.stellarTransactionId = payment.stellarTransactionId ?? hexOf(`payment ${withdrawal.id}`);
      withdrawal.ending = ending;
      withdrawal.shortfallPpm = drawPpm(temper.shortfallPpm, random);
      withdrawal.steps = stepsAfterPayment(ending, now, {
        settleMs: drawMs(temper.settleSeconds, random, pace),
        holdMs: drawMs(delays.hold, random, pace),
        recoveryMs: drawMs(delays.recovery, random, pace),
        pickUpMs: withdrawal.deliveryMethod === 'cash' ? drawMs(delays.pickUp, random, pace) : null,
      });
      move(withdrawal, { atMs: now, status: 'pending_anchor' });
      return null;
    },
    amend(withdrawal, fields) {
      withdrawal.amended = { ...withdrawal.amended, ...fields };
      changed = true;
      onChange(withdrawal);
    },
    advance() {
      const now = clock();
      for (const withdrawal of kept.values()) takeDue(withdrawal, now);
    },
    restore(saved) {
      for (const withdrawal of saved.slice(-keptLimit)) kept.set(withdrawal.id, withdrawal);
      begun = kept.size;
    },
    takeChanged() {
      const was = changed;
      changed = false;
      return was;
    },
  };
}

/** The payout by the price that holds for the withdrawal, less the anchor's shortfall, rounded down. */
function payOut(context: AnchorContext, withdrawal: Withdrawal): void {
  const { buyAsset, pricedMs, shortfallPpm } = withdrawal;
  const payoutPlaces = payoutPlacesOf(buyAsset);
  const terms = { ...termsFor(context, buyAsset, pricedMs), payoutPlaces, lot: null };
  const priced = priceForSell(new Amount(withdrawal.amountIn ?? 0), terms);
  if (priced === null) {
    withdrawal.amountOut = '0';
    withdrawal.fee = withdrawal.amountIn;
    return;
  }
  const paid = priced.buy.mul(1_000_000 - shortfallPpm).div(1_000_000);
  withdrawal.amountOut = paid.toDecimalPlaces(payoutPlaces, Amount.ROUND_DOWN).toFixed();
  withdrawal.fee = priced.fee.toFixed();
}

/** All of it goes back, without a fee: today by `refunds`, before that by the flag `refunded` alone. */
function refund(withdrawal: Withdrawal, effect: 'refund' | 'refund-old'): void {
  withdrawal.refund = {
    way: effect === 'refund' ? 'refunds' : 'flag',
    amount: withdrawal.amountIn ?? '0',
    stellarTransactionId: hexOf(`refund ${withdrawal.id}`),
  };
  if (effect === 'refund') {
    withdrawal.amountOut = '0';
    withdrawal.fee = '0';
  }
}
