import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareCollections } from '../../../server/mongo/collections.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { isMongoUnavailable } from '../../../server/mongo/failures.js';
import { createLeaseSessions } from '../../../server/mongo/lease-sessions.js';
import { createLeases, type HeldLease, leaseModel } from '../../../server/mongo/leases.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { testDatabase } from '../../helpers/database.js';
import { silentLogger } from '../../helpers/silent-logger.js';

const database = testDatabase();
const opened: Connection[] = [];

/** An instance with a client of its own. */
async function instance(owner: string) {
  const connection = await connectMongo({ uri: database.uri });
  opened.push(connection);
  const leases = createLeases({ connection, owner, logger: silentLogger });
  const sessions = createLeaseSessions({ connection, logger: silentLogger });
  await prepareCollections(connection);
  return { connection, leases, sessions, inTransaction: createInTransaction(connection) };
}
type Instance = Awaited<ReturnType<typeof instance>>;

let dying: Instance;
let successor: Instance;

beforeAll(async () => {
  dying = await instance('dying');
  successor = await instance('successor');
});
afterAll(() => Promise.all(opened.map((connection) => connection.close())));

/** Takes the lease, opens a transaction under it, and is heard of no more: no commit, no abort, no renewal. */
async function dieInTransaction(name: string): Promise<{ revive(): Promise<void> }> {
  const { connection, leases, sessions } = dying;
  await leases.seed([name]);
  let held: HeldLease | undefined;
  await leases.run(name, 60_000, async (lease) => {
    held = lease;
  });
  if (held === undefined) throw new Error('the lease was free');
  const session = await connection.startSession();
  session.startTransaction();
  await sessions.register(held, session);
  await held.fence(session);
  return {
    revive: async () => {
      try {
        await session.commitTransaction();
      } finally {
        await session.endSession();
      }
    },
  };
}

const take = (name: string) => successor.leases.run(name, 5_000, async () => 'taken');

describe('a holder that died inside a transaction', () => {
  it('keeps its lease from everyone, expired or not, as long as the server keeps the transaction', async () => {
    const { revive } = await dieInTransaction('kept');
    await expect(take('kept')).rejects.toSatisfy(isMongoUnavailable);
    await revive();
    expect(await take('kept')).toEqual({ ran: true, value: 'taken' });
  });

  it('is succeeded at once by one that ends its sessions first, and can commit nothing any more', async () => {
    const { revive } = await dieInTransaction('freed');
    await successor.sessions.endDead('freed');
    const since = performance.now();
    expect(await take('freed')).toEqual({ ran: true, value: 'taken' });
    expect(performance.now() - since).toBeLessThan(1_000);
    await expect(revive()).rejects.toMatchObject({ codeName: 'NoSuchTransaction' });
    expect((await leaseModel(successor.connection).findById('freed').lean())?.fences).toBe(0);
  });
});

describe('a holder that was taken for dead and lives', () => {
  it('is still succeeded at once when it then dies inside a transaction', async () => {
    const { connection, leases, sessions, inTransaction } = dying;
    await leases.seed(['revived']);
    let held: HeldLease | undefined;
    await leases.run('revived', 60_000, async (lease) => {
      held = lease;
      await inTransaction(async (session) => {
        await sessions.register(lease, session);
        await lease.fence(session);
      });
    });
    if (held === undefined) throw new Error('the lease was free');
    await successor.sessions.endDead('revived');
    // The driver gives it the same session again, which it need not write down again.
    const session = await connection.startSession();
    session.startTransaction();
    await sessions.register(held, session);
    await held.fence(session);
    await successor.sessions.endDead('revived');
    expect(await take('revived')).toEqual({ ran: true, value: 'taken' });
    await expect(session.commitTransaction()).rejects.toMatchObject({ codeName: 'NoSuchTransaction' });
    await session.endSession();
  });
});

describe('a holder that is alive', () => {
  it('loses no session to others while its lease lasts, nor after it forgot them', async () => {
    const { leases, sessions, inTransaction, connection } = dying;
    await leases.seed(['alive']);
    const work = (lease: HeldLease, meanwhile: () => Promise<void>) =>
      inTransaction(async (session) => {
        await sessions.register(lease, session);
        await lease.fence(session);
        await meanwhile();
      });
    await leases.run('alive', 60_000, async (lease) => {
      await work(lease, () => successor.sessions.endDead('alive'));
      expect((await leaseModel(connection).findById('alive').lean())?.fences).toBe(1);
      await sessions.forget(lease);
    });
    expect(await connection.collection('lease_sessions').countDocuments({ lease: 'alive' })).toBe(0);
  });
});
