import { cardWindows } from '../../../contract/schemas/score-card.js';
import { forEachCount, pairBytes, type Rollup } from './day-count.rules.js';

/** How many accounts had outcomes, and the most outcomes of one of them. */
export interface AccountCounts {
  accounts: number;
  largest: number;
}

export const noAccounts: AccountCounts = { accounts: 0, largest: 0 };

/**
 * Counts the accounts of these roll-ups in every window that ends today, by the number of its days. A window contains all
 * shorter ones, so one table is enough: for each window, only the days that the shorter one lacks are added to it.
 */
export function countAccounts(rollups: readonly Rollup[], today: string): Map<number, AccountCounts> {
  const pairs = rollups.reduce((sum, { accounts }) => sum + accounts.byteLength / pairBytes, 0);
  const { found, add } = accountTable(pairs);
  const counted = new Map<number, AccountCounts>();
  let shorter = 0;
  for (const window of cardWindows) {
    for (const { day, accounts } of rollups) {
      const age = (Date.parse(today) - Date.parse(day)) / 86_400_000;
      if (age >= shorter && age < window) forEachCount(accounts, add);
    }
    counted.set(window, { ...found });
    shorter = window;
  }
  return counted;
}

/**
 * Adds up the outcomes of this many accounts at most. An account is kept at the place that its digest gives, or at the next
 * free one. With a million accounts a Map takes two and a half times as long.
 */
function accountTable(most: number) {
  // Half of the places stay free, so that the next free one is near.
  const size = 2 ** Math.ceil(Math.log2(2 * most + 1));
  const accounts = new Uint32Array(size);
  const outcomes = new Uint32Array(size);
  const found = { ...noAccounts };

  function add(account: number, count: number): void {
    let at = account % size;
    while (outcomes[at] !== 0 && accounts[at] !== account) at = (at + 1) % size;
    if (outcomes[at] === 0) found.accounts += 1;
    const sum = (outcomes[at] ?? 0) + count;
    accounts[at] = account;
    outcomes[at] = sum;
    found.largest = Math.max(found.largest, sum);
  }

  return { found, add };
}
