import type { Clock } from '../../server/ports.js';
import type { Book } from './book.js';
import type { Entry } from './entries.js';

/** How one source of the simulated ledger misbehaves; tests change it. */
export interface SourceFaults {
  /** Answers 503 to everything. */
  away: boolean;
  /** Answers nothing for so long. */
  delayMs: number;
  /** Answers a page of HTML with status 200. */
  html: boolean;
  /** Holds only what closed in the last so many milliseconds; null: everything. */
  retainMs: number | null;
  /** Says that it holds everything, whatever it holds. */
  liesAboutRange: boolean;
  /** Has forgotten everything, without saying so. */
  forgets: boolean;
}

export const noFaults: SourceFaults = {
  away: false,
  delayMs: 0,
  html: false,
  retainMs: null,
  liesAboutRange: false,
  forgets: false,
};

/** A young network: what a source that retains everything holds. */
const networkAgeMs = 365 * 86_400_000;

/** What a source shows of the book under its faults. */
export function viewOf(book: Book, clock: Clock, faults: () => SourceFaults) {
  const heldSinceMs = () => clock() - (faults().retainMs ?? networkAgeMs);
  const holds = (entry: Entry) => !faults().forgets && entry.closedAtMs >= heldSinceMs();
  return {
    find(hash: string): Entry | undefined {
      const entry = book.find(hash);
      return entry !== undefined && holds(entry) ? entry : undefined;
    },
    all: () => book.all().filter(holds),
    /** The ledgers that it says it holds. */
    range() {
      const latest = book.latest();
      const told = faults().liesAboutRange ? networkAgeMs : (faults().retainMs ?? networkAgeMs);
      const back = Math.min(latest.ledger - 1, Math.floor(told / (latest.closedAtMs / latest.ledger)));
      const oldestLedger = latest.ledger - back;
      return { latest, oldest: { ledger: oldestLedger, closedAtMs: book.closedAt(oldestLedger) } };
    },
  };
}

export type View = ReturnType<typeof viewOf>;
