import { isPaid } from './course.js';
import type { Withdrawal } from './players.js';

/** Stellar's two base reserves per account plus one per trust line, and the minimum fee of an operation. */
const reserveXlm = 1.5;
const feeXlm = 0.00001;

/** What the party behind a record spent on its own withdrawals. */
export interface Spent {
  accounts: number;
  /** Held while the accounts exist, and returned when they are closed. */
  reserveXlm: number;
  feesXlm: number;
  /** Stablecoin that was in use at one time; it is returned. */
  capital: number;
  /** From its first withdrawal to its last, both included. */
  days: number;
}

/** Money that was paid is back, by a payment of the anchor, before the next day. */
export function spentOn(own: readonly Withdrawal[]): Spent {
  const accounts = new Set(own.map(({ account }) => account));
  const paid = own.filter(({ course }) => isPaid(course) || course.kind === 'framed');
  const payers = new Set(paid.map(({ account }) => account));
  const days = own.map(({ day }) => day);
  const byDay = new Map<number, number>();
  for (const { day, amount } of paid) byDay.set(day, (byDay.get(day) ?? 0) + amount);
  return {
    accounts: accounts.size,
    reserveXlm: payers.size * reserveXlm,
    // An account is opened with two operations; a payment and its return are two more.
    feesXlm: (payers.size + paid.length) * 2 * feeXlm,
    capital: Math.max(0, ...byDay.values()),
    days: days.length === 0 ? 0 : Math.max(...days) - Math.min(...days) + 1,
  };
}
