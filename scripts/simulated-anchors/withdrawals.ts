import { createHash } from 'node:crypto';
import { type AnchorContext, termsFor } from './context.js';
import { payoutPlacesOf } from './corridors.js';
import { Amount, priceForSell } from './pricing.js';
import type { Ending } from './profiles.js';
import { Refusal } from './server.js';
import {
  delays,
  drawEnding,
  drawMs,
  drawPpm,
  type Step,
  stepsAfterPayment,
  stepsUntilPayment,
} from './settlement.js';

/** What an anchor keeps of one withdrawal; as JSON in the state file. Amounts are decimal strings. */
export interface Withdrawal {
  id: string;
  protocol: 'sep24' | 'sep6';
  kind: 'withdrawal' | 'withdrawal-exchange';
  /** The account whose token started it: the one that may read it. */
  owner: string;
  /** The account that pays. */
  from: string;
  sellAsset: string;
  buyAsset: string;
  deliveryMethod: string;
  status: string;
  message: string | null;
  startedMs: number;
  updatedMs: number;
  completedMs: number | null;
  /** The announced amount, until the payment gives the real one. */
  amountIn: string | null;
  amountOut: string | null;
  fee: string | null;
  stellarTransactionId: string | null;
  refund: { way: 'refunds' | 'flag'; amount: string; stellarTransactionId: string } | null;
  callbackUrl: string | null;
  ending: Ending | null;
  shortfallPpm: number;
  /** Further steps, in order of time. */
  steps: Step[];
  /** Fields of the shown record that a test has overwritten. */
  amended: Record<string, unknown>;
}

/** The most an anchor keeps. The oldest one without further steps is dropped for a new one. */
const keptLimit = 5_000;
const unpaid: ReadonlySet<string> = new Set(['incomplete', 'pending_user_transfer_start', 'expired']);

/** What is known of a withdrawal when it begins. */
export type NewWithdrawal = Pick<
  Withdrawal,
  'protocol' | 'kind' | 'owner' | 'from' | 'sellAsset' | 'buyAsset'
> &
  Pick<Withdrawal, 'deliveryMethod' | 'amountIn' | 'callbackUrl'>;

export interface Payment {
  amount?: string | undefined;
  from?: string | undefined;
  stellarTransactionId?: string | undefined;
  /** Sets the ending instead of the profile's random choice. */
  ending?: Ending | undefined;
}

export interface Withdrawals {
  /** Null where the limit is reached and all are open. */
  begin(terms: NewWithdrawal): Withdrawal | null;
  find(id: string): Withdrawal | undefined;
  all(): Withdrawal[];
  /** Fills in the form: the withdrawal then waits for its payment. */
  submitForm(withdrawal: Withdrawal): void;
  /** Records that the payment arrived. Throws a Refusal where the withdrawal cannot be paid. */
  pay(withdrawal: Withdrawal, payment: Payment): void;
  /** Decides the ending before the payment. */
  choose(withdrawal: Withdrawal, ending: Ending): void;
  amend(withdrawal: Withdrawal, fields: Record<string, unknown>): void;
  /** Takes every step that is due by the clock, in order. */
  advance(): void;
  /** True once after any change. */
  takeChanged(): boolean;
}

function hexOf(label: string): string {
  return createHash('sha256').update(label).digest('hex');
}

/** The withdrawals of one anchor. Payments and the clock move them; `onChange` is called on every new status. */
export function createWithdrawals(
  context: AnchorContext,
  saved: readonly Withdrawal[],
  onChange: (changed: Withdrawal) => void,
): Withdrawals {
  const { clock, random, pace, definition } = context;
  const kept = new Map(saved.slice(-keptLimit).map((each) => [each.id, each]));
  let changed = false;
  let begun = kept.size;

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
    if (step.effect === 'payout') payOut(context, withdrawal);
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
    begin(terms) {
      if (!makeRoom()) return null;
      const now = clock();
      const interactive = terms.protocol === 'sep24';
      const steps = stepsUntilPayment(now, random, pace);
      const withdrawal: Withdrawal = {
        ...terms,
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
        throw new Refusal(409, `a withdrawal in status ${withdrawal.status} takes no payment`);
      if (amount === null) throw new Refusal(409, 'the amount is not known: give it');
      const now = clock();
      const profile = context.profile().settlement;
      const ending = payment.ending ?? withdrawal.ending ?? drawEnding(profile, random);
      changed = true;
      withdrawal.ending = ending;
      if (ending === 'forget') kept.delete(withdrawal.id);
      if (ending === 'forget' || ending === 'vanish') return;
      withdrawal.amountIn = amount;
      withdrawal.from = payment.from ?? withdrawal.from;
      withdrawal.stellarTransactionId = payment.stellarTransactionId ?? hexOf(`payment ${withdrawal.id}`);
      withdrawal.shortfallPpm = drawPpm(profile.shortfallPpm, random);
      withdrawal.steps = stepsAfterPayment(ending, now, {
        settleMs: drawMs(profile.settleSeconds, random, pace),
        holdMs: drawMs(delays.hold, random, pace),
        recoveryMs: drawMs(delays.recovery, random, pace),
        pickUpMs: withdrawal.deliveryMethod === 'cash' ? drawMs(delays.pickUp, random, pace) : null,
      });
      move(withdrawal, { atMs: now, status: 'pending_anchor' });
    },
    choose(withdrawal, ending) {
      withdrawal.ending = ending;
      changed = true;
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
    takeChanged() {
      const was = changed;
      changed = false;
      return was;
    },
  };
}

/** The payout by the withdrawal's price, less the anchor's shortfall, rounded down. */
function payOut(context: AnchorContext, withdrawal: Withdrawal): void {
  const { buyAsset, startedMs, shortfallPpm } = withdrawal;
  const payoutPlaces = payoutPlacesOf(buyAsset);
  const terms = { ...termsFor(context, buyAsset, startedMs), payoutPlaces, lot: null };
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

/** Everything is sent back without a fee. Today `refunds` says so, formerly only the flag `refunded`. */
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
