import type { HeldRange } from './rpc-answer.rules.js';

/** A node that is further behind than this may not have the transaction yet. */
export const lagMs = 60_000;
/** Ledgers close every 5 s or so. Who says that many fewer cover a time says something that cannot be. */
const longestLedgerMs = 15_000;
/** Between two answers of a node its oldest ledger moves on. */
const rangeSlack = 100;

/** Whether a node that holds this range holds every ledger since then, as far as can be told from its own words. */
export function covers(range: HeldRange, sinceMs: number, nowMs: number): boolean {
  const spanMs = range.latestAtMs - range.oldestAtMs;
  const ledgers = range.latestLedger - range.oldestLedger;
  const isPlausible = spanMs >= 0 && ledgers >= 0 && spanMs <= (ledgers + 1) * longestLedgerMs;
  return isPlausible && range.oldestAtMs <= sinceMs && range.latestAtMs >= nowMs - lagMs;
}

/** Whether a node names the same range when it is asked for its health. */
export function confirms(health: { oldestLedger: number; latestLedger: number }, range: HeldRange): boolean {
  return (
    health.oldestLedger <= range.oldestLedger + rangeSlack &&
    health.latestLedger >= range.latestLedger - rangeSlack
  );
}
