import type { HeldLease } from '../../mongo/leases.js';
import type { ClientSession } from '../../mongo/transactions.js';
import type { Fenced } from './fenced.js';
import { beginTick, endTick, firstState } from './health.rules.js';
import type { PublisherStore, StateRow, TickNote } from './store.js';

/** What ticks leave behind for each other and for health; every write is fenced by the lease. */
export interface Journal {
  /** Notes that a tick runs. One that still seems to run has died: it is noted as such. */
  begin(lease: HeldLease): Promise<{ startedAt: Date; abandoned: string | null }>;
  /** Notes how it ended; null for one that was stopped halfway. */
  end(lease: HeldLease, note: Omit<TickNote, 'finishedAt'> | null): Promise<Date>;
}

export function createJournal(deps: { store: PublisherStore; fenced: Fenced }): Journal {
  const { store, fenced } = deps;

  function change(lease: HeldLease, next: (state: StateRow) => StateRow): Promise<StateRow> {
    return fenced(lease, async (session) => {
      const state = next(await readState(store, session));
      const { _id, ...members } = state;
      await store.state.updateOne({ _id }, { $set: members }, { session, upsert: true });
      return state;
    });
  }

  return {
    async begin(lease) {
      const startedAt = await store.now();
      const running = { token: lease.token, startedAt };
      const state = await change(lease, (before) => beginTick(before, running));
      return { startedAt, abandoned: state.attempt };
    },

    async end(lease, note) {
      const finishedAt = await store.now();
      await change(lease, (before) => endTick(before, note === null ? null : { ...note, finishedAt }));
      return finishedAt;
    },
  };
}

export async function readState(store: PublisherStore, session?: ClientSession): Promise<StateRow> {
  const found = await store.state
    .findById('publisher')
    .session(session ?? null)
    .lean<StateRow>();
  return found ?? firstState;
}
