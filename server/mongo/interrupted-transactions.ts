import type { ClientSession, Connection } from 'mongoose';
import { isMongoUnavailable } from './failures.js';

const retryMs = 1_000;
/** MongoDB ends an open transaction by itself after 60 s (`transactionLifetimeLimitSeconds`). */
const maxTries = 60;
/** What was still on its way when the first one arrived may open the transaction again. */
const killsEach = 2;
const maxSessions = 1_000;

/**
 * Ends transactions whose abort could not be delivered. A database that was stopped in their midst, or out of reach,
 * keeps them open with all their locks when it goes on: whoever writes to the same documents waits for a minute in
 * vain. (Measured: a key whose dispute was cut short could file no other.)
 */
export interface InterruptedTransactions {
  /** Takes the session over: it goes back to the driver's pool when nothing of it can be left open. */
  end(session: ClientSession): Promise<void>;
}

interface Left {
  tries: number;
  kills: number;
}

export function createInterruptedTransactions(connection: Connection): InterruptedTransactions {
  const left = new Map<ClientSession, Left>();
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (timer !== undefined || left.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      killAll().finally(schedule);
    }, retryMs);
    // A process that ends takes its connections along; it need not wait for this.
    timer.unref();
  }

  async function killAll(): Promise<void> {
    const sessions = [...left.keys()];
    const killed = await kill(sessions);
    for (const session of sessions) {
      const state = left.get(session);
      if (state === undefined) continue;
      state.tries += 1;
      if (killed) state.kills += 1;
      if (state.kills < killsEach && state.tries < maxTries) continue;
      left.delete(session);
      await session.endSession().catch(() => undefined);
    }
  }

  /** False: try again. Where it is refused, the server ends them itself, later. */
  async function kill(sessions: readonly ClientSession[]): Promise<boolean> {
    try {
      await connection.db?.admin().command({ killSessions: sessions.map(({ id }) => id) });
      return true;
    } catch (error) {
      return !isMongoUnavailable(error);
    }
  }

  connection.once('close', () => {
    clearTimeout(timer);
    left.clear();
  });

  return {
    async end(session) {
      if (left.size >= maxSessions) return session.endSession();
      left.set(session, { tries: 0, kills: 0 });
      schedule();
    },
  };
}
