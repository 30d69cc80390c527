/** The ledgers that a node says it holds. */
export interface HeldRange {
  oldestLedger: number;
  oldestAtMs: number;
  latestLedger: number;
  latestAtMs: number;
}

/** A node that is further behind than this may not have the transaction yet. */
export const lagMs = 60_000;
/** Ledgers close every 5 s or so. A range whose ledgers take longer than this on average is implausible. */
const longestLedgerMs = 15_000;

/** Whether a node that reports this range holds every ledger since `sinceMs`, as far as its own answer can show. */
export function covers(range: HeldRange, sinceMs: number, nowMs: number): boolean {
  const spanMs = range.latestAtMs - range.oldestAtMs;
  const ledgers = range.latestLedger - range.oldestLedger;
  const isPlausible = spanMs >= 0 && ledgers >= 0 && spanMs <= (ledgers + 1) * longestLedgerMs;
  return isPlausible && range.oldestAtMs <= sinceMs && range.latestAtMs >= nowMs - lagMs;
}
