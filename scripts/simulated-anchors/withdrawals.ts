import { createHash } from 'node:crypto';
import { type AnchorContext, payoutPlacesOf, termsFor } from './context.js';
import { Amount, priceForSell } from './pricing.js';
import type { Ending } from './profiles.js';
import { Refusal } from './server.js';
import { drawEnding, type Step, settlementOf, stepsUntilPayment } from './settlement.js';

/** What is known of a withdrawal when it begins. Amounts are decimal strings. */
export interface NewWithdrawal {
  protocol: 'sep24' | 'sep6';
  /** The account whose token started it: the one that may read it. */
  owner: string;
  /** The account that pays. */
  from: string;
  buyAsset: string;
  deliveryMethod: string;
  /** The announced amount, until the payment gives the real one. */
  amountIn: string | null;
  callbackUrl: string | null;
}

/** What an anchor keeps of one withdrawal. */
export interface Withdrawal extends NewWithdrawal {
  id: string;
  status: string;
  message: string | null;
  startedMs: number;
  updatedMs: number;
  completedMs: number | null;
  amountOut: string | null;
  fee: string | null;
  stellarTransactionId: string | null;
  refund: { way: 'refunds' | 'flag'; amount: string; stellarTransactionId: string } | null;
  ending: Ending | null;
  shortfallPpm: number;
  /** Further steps, in order of time. */
  steps: Step[];
  /** Fields of the shown record that a test has overwritten. */
  amended: Record<string, unknown>;
}

/** The most an anchor keeps: the latest. */
const keptLimit = 5_000;
const unpaid: ReadonlySet<string> = new Set(['incomplete', 'pending_user_transfer_start', 'expired']);

export interface Payment {
  amount?: string | undefined;
  from?: string | undefined;
  stellarTransactionId?: string | undefined;
  /** Sets the ending instead of the profile's random choice. */
  ending?: Ending | undefined;
}

export type Withdrawals = ReturnType<typeof createWithdrawals>;

function hexOf(label: string): string {
  return createHash('sha256').update(label).digest('hex');
}

/** The withdrawals of one anchor. Payments and the clock move them; `onChange` is called on every new status. */
export function createWithdrawals(context: AnchorContext, onChange: (changed: Withdrawal) => void) {
  const { clock, random, pace, definition } = context;
  const kept = new Map<string, Withdrawal>();
  let begun = 0;

  function freshId(): string {
    begun += 1;
    const hex = hexOf(`${definition.id} ${clock()} ${random()} ${begun}`);
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
  }

  function move(withdrawal: Withdrawal, { atMs, status, message, effect }: Step): void {
    Object.assign(withdrawal, { status, updatedMs: atMs, message: message ?? null });
    if (effect === 'payout') payOut(context, withdrawal);
    else if (effect !== undefined) refund(withdrawal, effect);
    if (status === 'completed' || status === 'refunded') withdrawal.completedMs = atMs;
    onChange(withdrawal);
  }

  return {
    begin(terms: NewWithdrawal): Withdrawal {
      const [oldest] = kept.keys();
      if (kept.size >= keptLimit && oldest !== undefined) kept.delete(oldest);
      const now = clock();
      const isInteractive = terms.protocol === 'sep24';
      const withdrawal: Withdrawal = {
        ...terms,
        id: freshId(),
        status: isInteractive ? 'incomplete' : 'pending_user_transfer_start',
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
        steps: stepsUntilPayment(now, pace).slice(isInteractive ? 0 : 1),
        amended: {},
      };
      kept.set(withdrawal.id, withdrawal);
      return withdrawal;
    },
    find: (id: string) => kept.get(id),
    all: () => [...kept.values()],
    /** Fills in the form: the withdrawal then waits for its payment. */
    submitForm(withdrawal: Withdrawal): void {
      if (withdrawal.status !== 'incomplete') return;
      const form = withdrawal.steps.shift();
      if (form !== undefined) move(withdrawal, { ...form, atMs: clock() });
    },
    /** Records that the payment arrived. Throws a Refusal where the withdrawal cannot be paid. */
    pay(withdrawal: Withdrawal, payment: Payment): void {
      const amount = payment.amount ?? withdrawal.amountIn;
      if (!unpaid.has(withdrawal.status))
        throw new Refusal(409, `a withdrawal in status ${withdrawal.status} takes no payment`);
      if (amount === null) throw new Refusal(409, 'the amount is not known: give it');
      const now = clock();
      const { settlement } = context.profile();
      const ending = payment.ending ?? withdrawal.ending ?? drawEnding(settlement, random);
      withdrawal.ending = ending;
      if (ending === 'forget') kept.delete(withdrawal.id);
      if (ending === 'forget' || ending === 'vanish') return;
      const isCash = withdrawal.deliveryMethod === 'cash';
      Object.assign(withdrawal, settlementOf(ending, now, settlement, { random, pace, isCash }), {
        amountIn: amount,
        from: payment.from ?? withdrawal.from,
        stellarTransactionId: payment.stellarTransactionId ?? hexOf(`payment ${withdrawal.id}`),
      });
      move(withdrawal, { atMs: now, status: 'pending_anchor' });
    },
    /** Decides the ending before the payment. */
    choose(withdrawal: Withdrawal, ending: Ending): void {
      withdrawal.ending = ending;
    },
    amend(withdrawal: Withdrawal, fields: Record<string, unknown>): void {
      withdrawal.amended = { ...withdrawal.amended, ...fields };
      onChange(withdrawal);
    },
    /** Takes every step that is due by the clock, in order. */
    advance(): void {
      const now = clock();
      for (const withdrawal of kept.values()) {
        while (withdrawal.steps[0] !== undefined && withdrawal.steps[0].atMs <= now)
          move(withdrawal, withdrawal.steps.shift() as Step);
      }
    },
  };
}

/** The payout by the withdrawal's price, less the anchor's shortfall, rounded down. */
function payOut(context: AnchorContext, withdrawal: Withdrawal): void {
  const { buyAsset, startedMs, shortfallPpm, amountIn } = withdrawal;
  const payoutPlaces = payoutPlacesOf(buyAsset);
  const terms = { ...termsFor(context, buyAsset, startedMs), payoutPlaces, lot: null };
  const priced = priceForSell(new Amount(amountIn ?? 0), terms);
  const paid = priced?.buy.mul(1_000_000 - shortfallPpm).div(1_000_000);
  withdrawal.amountOut = paid?.toDecimalPlaces(payoutPlaces, Amount.ROUND_DOWN).toFixed() ?? '0';
  withdrawal.fee = priced?.fee.toFixed() ?? amountIn;
}

/** Everything is sent back without a fee. Today `refunds` says so, formerly only the flag `refunded`. */
function refund(withdrawal: Withdrawal, effect: 'refund' | 'refund-old'): void {
  withdrawal.refund = {
    way: effect === 'refund' ? 'refunds' : 'flag',
    amount: withdrawal.amountIn ?? '0',
    stellarTransactionId: hexOf(`refund ${withdrawal.id}`),
  };
  if (effect === 'refund') Object.assign(withdrawal, { amountOut: '0', fee: '0' });
}
