import { LRUCache } from 'lru-cache';
import type { UnavailableReason } from '../../../contract/schemas/rates.js';
import type { Clock } from '../../ports.js';
import { createFlights } from '../../upstream/flights.js';
import type { Fleet } from '../anchors/fleet.rules.js';
import type { Row } from './answer.rules.js';
import type { Question, QuoteSource } from './quote-source.js';

export const freshMs = 15_000;
export const staleMs = 60_000;

/** How long it is not asked again after a reply without a quote. What the anchor decided holds as long as a quote. */
const reasonFreshMs: Readonly<Record<UnavailableReason, number>> = {
  refused_amount: freshMs,
  not_served: freshMs,
  unauthorized: freshMs,
  blocked: freshMs,
  timeout: 5_000,
  unreachable: 5_000,
  malformed: 5_000,
  error: 5_000,
  no_fx: 5_000,
  busy: 1_000,
  circuit_open: 1_000,
};

/** Until when a row may be used without asking again. */
export function rowFreshUntil(row: Row): number {
  return row.at + ('reason' in row.reply ? reasonFreshMs[row.reply.reason] : freshMs);
}

/** The replies of single anchors, one call each however many ask. */
export interface RowCache {
  /** A reply that is fresh and, with `maxAgeMs`, no older than that; else a new one. */
  row(
    question: Omit<Question, 'lane' | 'anchorId'>,
    anchor: Fleet['anchors'][number],
    maxAgeMs: number,
  ): Promise<Row>;
  /** Forgets the rows of a corridor, or all; returns how many. */
  drop(corridor: string | undefined): number;
}

interface Kept {
  row: Row;
  epoch: number;
}

export function createRowCache(deps: {
  source: QuoteSource;
  clock: Clock;
  epoch: (corridor: string) => number;
  maxBytes: number;
}): RowCache {
  const { clock } = deps;
  const kept = new LRUCache<string, Kept>({
    maxSize: deps.maxBytes,
    maxEntrySize: 64 * 1024,
    sizeCalculation: (entry, key) => 2 * (JSON.stringify(entry.row).length + key.length) + 200,
  });
  const join = createFlights<Row>();

  async function fetchRow(
    key: string,
    question: Question,
    anchor: Fleet['anchors'][number],
    epoch: number,
  ): Promise<Row> {
    const reply = await deps.source(question);
    const { id: anchorId, name: anchorName, simulated } = anchor;
    const row: Row = { anchorId, anchorName, simulated, reply, at: clock() };
    if (epoch !== deps.epoch(question.corridor.id)) return row;
    const before = kept.get(key);
    // Our own budget is no news of the anchor: its last quote stands while it is recent.
    if ('reason' in reply && reply.reason === 'busy' && before !== undefined && isUsable(before, epoch)) {
      return before.row;
    }
    kept.set(key, { row, epoch });
    return row;
  }

  function isUsable(entry: Kept, epoch: number): boolean {
    return entry.epoch === epoch && 'offer' in entry.row.reply && clock() - entry.row.at < staleMs;
  }

  return {
    row(asked, anchor, maxAgeMs) {
      const { corridor, amount, deliveryMethod } = asked;
      const key = [corridor.id, anchor.id, amount, deliveryMethod ?? ''].join('|');
      const epoch = deps.epoch(corridor.id);
      const known = kept.get(key);
      const now = clock();
      if (known?.epoch === epoch && now < Math.min(rowFreshUntil(known.row), known.row.at + maxAgeMs)) {
        return Promise.resolve(known.row);
      }
      return join(key, epoch, () => {
        const quoted = known !== undefined && 'offer' in known.row.reply;
        const lane = amount === corridor.referenceAmount ? 'reference' : quoted ? 'known' : 'new';
        return fetchRow(key, { ...asked, anchorId: anchor.id, lane }, anchor, epoch);
      });
    },
    drop(corridor) {
      let dropped = 0;
      for (const key of [...kept.keys()]) {
        if ((corridor === undefined || key.startsWith(`${corridor}|`)) && kept.delete(key)) dropped += 1;
      }
      return dropped;
    },
  };
}
