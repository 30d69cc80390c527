import type { ClientSession, Connection } from 'mongoose';
import { isMongoUnavailable } from './failures.js';

const retryMs = 1_000;
/** MongoDB ends an open transaction by itself after 60 s (`transactionLifetimeLimitSeconds`). */
const maxTries = 60;
/** An operation that was still on its way when the first kill arrived may open the transaction again. */
const killsPerSession = 2;
const maxSessions = 1_000;

/**
 * Ends the transactions that these server sessions have left open. A transaction that is neither committed nor aborted,
 * because its process died or its database was stopped meanwhile, keeps its locks until
 * `transactionLifetimeLimitSeconds`, and other writers to the same documents wait in vain. Killing an idle session does
 * no harm; in one that is in use, operations fail and the driver opens it again.
 */
export async function killSessions(
  connection: Connection,
  sessions: readonly ClientSession['id'][],
): Promise<void> {
  await connection.db?.admin().command({ killSessions: sessions });
}

/**
 * Ends transactions of this process whose abort could not be delivered, as soon as the database answers again. The
 * transactions of a process that died under a lease are ended by its successor: leases.ts.
 */
export interface InterruptedTransactions {
  /** Takes the session over: it goes back to the driver's pool when nothing in it can be open any more. */
  end(session: ClientSession): Promise<void>;
}

export function createInterruptedTransactions(connection: Connection): InterruptedTransactions {
  const open = new Map<ClientSession, { tries: number; kills: number }>();
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (timer !== undefined || open.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      killAll().finally(schedule);
    }, retryMs);
    // A process need not wait for this timer, because its connections end with it.
    timer.unref();
  }

  async function killAll(): Promise<void> {
    const sessions = [...open.keys()];
    const killed = await killOrGiveUp(sessions);
    for (const session of sessions) {
      const state = open.get(session);
      if (state === undefined) continue;
      state.tries += 1;
      if (killed) state.kills += 1;
      if (state.kills < killsPerSession && state.tries < maxTries) continue;
      open.delete(session);
      await session.endSession().catch(() => undefined);
    }
  }

  /** False if it must be tried again. If the command is refused, the server ends the transactions itself, later. */
  async function killOrGiveUp(sessions: readonly ClientSession[]): Promise<boolean> {
    try {
      await killSessions(
        connection,
        sessions.map(({ id }) => id),
      );
      return true;
    } catch (error) {
      return !isMongoUnavailable(error);
    }
  }

  connection.once('close', () => {
    clearTimeout(timer);
    open.clear();
  });

  return {
    async end(session) {
      if (open.size >= maxSessions) return session.endSession();
      open.set(session, { tries: 0, kills: 0 });
      schedule();
    },
  };
}
