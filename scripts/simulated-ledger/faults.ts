import type { Clock } from '../../server/ports.js';
import type { Book } from './book.js';
import type { Entry } from './entries.js';

/** How one source of the simulated ledger misbehaves; tests change it. */
export interface SourceFaults {
  /** Answers 503 to everything. */
  away: boolean;
  /** Delays every answer by this time. */
  delayMs: number;
  /** Answers a page of HTML with status 200. */
  html: boolean;
  /** Contains only what closed within this many milliseconds; null: everything. */
  retainMs: number | null;
  /** Has forgotten everything, but does not report it. */
  forgets: boolean;
}

export const noFaults: SourceFaults = {
  away: false,
  delayMs: 0,
  html: false,
  retainMs: null,
  forgets: false,
};

/** The age of a young network, which is the range of a source that keeps everything. */
const networkAgeMs = 365 * 86_400_000;

/** The part of the book that a source returns under its faults. */
export function viewOf(book: Book, clock: Clock, faults: () => SourceFaults) {
  const heldSinceMs = () => clock() - (faults().retainMs ?? networkAgeMs);
  const holds = (entry: Entry) => !faults().forgets && entry.closedAtMs >= heldSinceMs();
  return {
    find(hash: string): Entry | undefined {
      const entry = book.find(hash);
      return entry !== undefined && holds(entry) ? entry : undefined;
    },
    all: () => book.after(0).filter(holds),
    /** The ledgers that it claims to contain. */
    range() {
      const latest = book.latest();
      const told = faults().retainMs ?? networkAgeMs;
      const back = Math.min(latest.ledger - 1, Math.floor(told / (latest.closedAtMs / latest.ledger)));
      const oldestLedger = latest.ledger - back;
      return { latest, oldest: { ledger: oldestLedger, closedAtMs: book.closedAt(oldestLedger) } };
    },
  };
}

export type View = ReturnType<typeof viewOf>;
