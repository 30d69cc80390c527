import type { Random } from '../../server/ports.js';
import { between } from '../lib/random.js';
import type { Course } from './course.js';

export const yearDays = 365;

export interface Withdrawal {
  /** Day of the year, from 0. */
  day: number;
  account: string;
  /** Units of stablecoin. */
  amount: number;
  course: Course;
  /** Who initiated it: a customer, or the party that tries to manipulate the score. */
  by: 'customer' | 'player';
}

/** A strategy, simulated over a year: an anchor that wants a good record, or a rival that wants to harm one. */
export interface Player {
  name: string;
  /** What it does, in a few words. */
  does: string;
  year(random: Random): Withdrawal[];
}

const customersADay = 12;
const regulars = 2_000;

/** Customers of an anchor that treats each withdrawal as `course` says. */
function customers(random: Random, course: (day: number) => Course): Withdrawal[] {
  return Array.from({ length: yearDays * customersADay }, (_, index) => {
    const day = Math.floor(index / customersADay);
    const account = `customer-${between(random, 1, regulars)}`;
    return { day, account, amount: between(random, 20, 400), course: course(day), by: 'customer' };
  });
}

/** The party's own withdrawals of the least amount that counts, on each of these days, by these accounts in turn. */
function ownWithdrawals(
  { from, days, aDay, accounts }: { from: number; days: number; aDay: number; accounts: number },
  course: Course,
): Withdrawal[] {
  return Array.from({ length: days * aDay }, (_, index) => {
    const account = `own-${(index % accounts) + 1}`;
    return { day: from + Math.floor(index / aDay), account, amount: 10, course, by: 'player' };
  });
}

/** The course at an honest anchor: one withdrawal in fifty is refunded because a customer gave wrong details. */
function delivered(random: Random): Course {
  if (random() < 0.02) return { kind: 'refunded' };
  return { kind: 'paid_out', afterSeconds: between(random, 40, 240), shortfallPercent: 0, tells: true };
}

const atOnce: Course = { kind: 'paid_out', afterSeconds: 1, shortfallPercent: 0, tells: true };
const lastDays = (days: number) => ({ from: yearDays - days, days });

/** The first is the honest anchor that the others are held against. */
export const players: readonly Player[] = [
  {
    name: 'honest',
    does: 'delivers; 2 % go back for wrong details',
    year: (random) => customers(random, () => delivered(random)),
  },
  {
    name: 'late improver',
    does: 'keeps 40 % for nine months, then delivers',
    year: (random) =>
      customers(random, (day) => (day < 275 && random() < 0.4 ? { kind: 'kept' } : delivered(random))),
  },
  {
    name: 'under-payer',
    does: 'pays out 3 % less than it quoted',
    year: (random) =>
      customers(random, () => {
        const course = delivered(random);
        return course.kind === 'paid_out' ? { ...course, shortfallPercent: 3 } : course;
      }),
  },
  {
    name: 'silent',
    does: 'takes 25 minutes, tells of payouts alone',
    year: (random) =>
      customers(random, () => {
        const course = delivered(random);
        return course.kind === 'paid_out' ? { ...course, afterSeconds: 1_500, tells: false } : course;
      }),
  },
  {
    name: 'part vanisher',
    does: 'keeps one payment in ten, and keeps silent',
    year: (random) => customers(random, () => (random() < 0.1 ? { kind: 'kept' } : delivered(random))),
  },
  {
    name: 'vanisher',
    does: 'keeps every payment, and keeps silent',
    year: (random) => customers(random, () => ({ kind: 'kept' })),
  },
  {
    name: 'inventor',
    does: 'reports payouts to 300 accounts of its own that nobody paid for',
    year: () => ownWithdrawals({ from: 0, days: yearDays, aDay: 12, accounts: 300 }, { kind: 'invented' }),
  },
  {
    name: 'sybil wallets',
    does: 'the part vanisher; 100 wallets of its own report 60 payouts a day',
    year: (random) => [
      ...customers(random, () => (random() < 0.1 ? { kind: 'kept' } : delivered(random))),
      ...ownWithdrawals({ from: 0, days: yearDays, aDay: 60, accounts: 100 }, { kind: 'invented' }),
    ],
  },
  {
    name: 'paid sybils',
    does: 'keeps one payment in ten; 100 wallets of its own pay for 60 payouts a day',
    year: (random) => [
      ...customers(random, () => (random() < 0.1 ? { kind: 'kept' } : delivered(random))),
      ...ownWithdrawals({ from: 0, days: yearDays, aDay: 60, accounts: 100 }, atOnce),
    ],
  },
  {
    name: 'self-dealer, 30',
    does: 'circulates 10 units: 30 payouts to itself in 15 days',
    year: () => ownWithdrawals({ ...lastDays(15), aDay: 2, accounts: 2 }, atOnce),
  },
  {
    name: 'self-dealer, 120',
    does: 'pays itself 4 times a day for 30 days',
    year: () => ownWithdrawals({ ...lastDays(30), aDay: 4, accounts: 2 }, atOnce),
  },
  {
    name: 'self-dealer, 360',
    does: 'pays itself 12 times a day for 30 days',
    year: () => ownWithdrawals({ ...lastDays(30), aDay: 12, accounts: 4 }, atOnce),
  },
  {
    name: 'honest, rival 1',
    does: 'a rival registers 100 withdrawals a day there, and pays for none',
    year: (random) => [
      ...customers(random, () => delivered(random)),
      ...ownWithdrawals({ ...lastDays(30), aDay: 100, accounts: 50 }, { kind: 'abandoned' }),
    ],
  },
  {
    name: 'honest, rival 2',
    does: 'the rival pays itself, and says that it paid the anchor',
    year: (random) => [
      ...customers(random, () => delivered(random)),
      ...ownWithdrawals({ ...lastDays(30), aDay: 12, accounts: 4 }, { kind: 'framed' }),
    ],
  },
  {
    name: 'honest, rival 3',
    does: 'the rival pays, gives wrong details and is refunded, 3 times a day',
    year: (random) => [
      ...customers(random, () => delivered(random)),
      ...ownWithdrawals({ ...lastDays(30), aDay: 3, accounts: 1 }, { kind: 'refunded' }),
    ],
  },
  {
    name: 'honest, rival 4',
    does: 'a rival pays, gives wrong details and is refunded, 12 times a day',
    year: (random) => [
      ...customers(random, () => delivered(random)),
      ...ownWithdrawals({ ...lastDays(30), aDay: 12, accounts: 4 }, { kind: 'refunded' }),
    ],
  },
];
