import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Connection, mongo } from 'mongoose';
import { connectMongo } from '../../../server/mongo/connection.js';
import { isMongoUnavailable } from '../../../server/mongo/failures.js';
import {
  createLeases,
  endSessionsOfDeadHolder,
  type HeldLease,
  LeaseLostError,
} from '../../../server/mongo/leases.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
const opened: Connection[] = [];

/** An instance with its own client. */
async function instance(owner: string) {
  const connection = await connectMongo({ uri: database.uri });
  opened.push(connection);
  const leases = createLeases({ connection, owner, logger: silentLogger });
  const endSessions = (name: string) => endSessionsOfDeadHolder({ connection, logger: silentLogger }, name);
  await prepareCollections(connection);
  return { connection, leases, endSessions, inTransaction: createInTransaction(connection) };
}
type Instance = Awaited<ReturnType<typeof instance>>;

let dying: Instance;
let successor: Instance;

beforeAll(async () => {
  dying = await instance('dying');
  successor = await instance('successor');
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => {
  await dying.leases.stop();
  await Promise.all(opened.map((connection) => connection.close()));
});

/** Opens a transaction under a lapsed lease and then does nothing more: no commit, no abort, no renewal. */
async function dieInTransaction(lease: HeldLease): Promise<{ revive(): Promise<void> }> {
  const session = await dying.connection.startSession();
  session.startTransaction();
  await lease.fence(session);
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

/** A lapsed lease whose holder still works under it, as after a suspend. */
async function lapsed(name: string, work: (lease: HeldLease) => Promise<void> = async () => undefined) {
  await dying.leases.seed([name]);
  const held = await new Promise<HeldLease>((resolve, reject) => {
    const outcome = dying.leases.run(name, 60_000, async (lease) => {
      await work(lease);
      resolve(lease);
      await new Promise((end) => lease.signal.addEventListener('abort', end));
    });
    outcome.catch(reject);
  });
  await dying.connection
    .collection<{ _id: string; expiresAt: Date }>('leases')
    .updateOne({ _id: name }, { $set: { expiresAt: new Date(0) } });
  return held;
}

/** Works under a lease and hands it back. */
async function once(name: string, work: (lease: HeldLease) => Promise<void>): Promise<void> {
  await dying.leases.seed([name]);
  expect((await dying.leases.run(name, 60_000, work)).ran).toBe(true);
}

async function fencesOf(name: string): Promise<number | undefined> {
  const leases = successor.connection.collection<{ _id: string; fences: number }>('leases');
  return (await leases.findOne({ _id: name }))?.fences;
}

const take = (name: string) => successor.leases.run(name, 5_000, async () => 'taken');

describe('a lease holder that died inside a transaction', () => {
  it('is replaced at once, and can commit nothing afterwards', async () => {
    const { revive } = await dieInTransaction(await lapsed('freed'));
    expect(await take('freed')).toEqual({ ran: true, value: 'taken' });
    await expect(revive()).rejects.toMatchObject({ codeName: 'NoSuchTransaction' });
    expect(await fencesOf('freed')).toBe(0);
  });

  it('keeps its lease until the server ends the transaction if its sessions cannot be ended', async () => {
    const { revive } = await dieInTransaction(await lapsed('kept'));
    await successor.connection.collection('lease_sessions').deleteMany({ lease: 'kept' });
    expect(isMongoUnavailable(await take('kept').catch((error: unknown) => error))).toBe(true);
    await revive();
    // The server may have run the abandoned command meanwhile, in which case that holds the lease for its term.
    await waitFor(async () => expect(await take('kept')).toEqual({ ran: true, value: 'taken' }), {
      timeout: 20_000,
    });
  });
});

describe('a lease holder that was taken for dead but is alive', () => {
  it('is still replaced at once when it later dies inside a transaction', async () => {
    const held = await lapsed('revived', (lease) =>
      dying.inTransaction(async (session) => lease.fence(session)),
    );
    await successor.endSessions('revived');
    // The driver reuses the same session.
    const { revive } = await dieInTransaction(held);
    expect(await take('revived')).toEqual({ ran: true, value: 'taken' });
    await expect(revive()).rejects.toMatchObject({ codeName: 'NoSuchTransaction' });
  });
});

describe('sessions that a lease holder left recorded', () => {
  it('are removed by the next holder of the same lease', async () => {
    const rows = dying.connection.collection('lease_sessions');
    const { token } = await lapsed('left');
    const row = { lease: 'left', token, session: new mongo.Binary(randomBytes(16), 4) };
    await rows.insertOne({ _id: 'left:behind' as never, ...row });
    await take('left');
    expect(await rows.countDocuments({ lease: 'left' })).toBe(0);
  });
});

describe('a lease holder that is alive', () => {
  it('loses no session while its lease lasts, and leaves none recorded', async () => {
    await once('alive', (lease) =>
      dying.inTransaction(async (session) => {
        await lease.fence(session);
        await successor.endSessions('alive');
      }),
    );
    expect(await fencesOf('alive')).toBe(1);
    const rows = dying.connection.collection('lease_sessions');
    expect(await rows.countDocuments({ lease: 'alive' })).toBe(0);
  });

  it('leaves none recorded, also where the connection is lost while they are deleted', async () => {
    await once('cut', async (lease) => {
      await dying.inTransaction((session) => lease.fence(session));
      const { collection } = dying.connection.model('LeaseSession');
      jest.spyOn(collection, 'deleteMany').mockRejectedValueOnce(new mongo.MongoNetworkError('cut'));
    });
    const rows = dying.connection.collection('lease_sessions');
    expect(await rows.countDocuments({ lease: 'cut' })).toBe(0);
  });

  it('records no session for a step that begins after its term has ended', async () => {
    let ended: HeldLease | undefined;
    await once('ended', async (lease) => {
      ended = lease;
    });
    const late = dying.inTransaction(async (session) => ended?.fence(session));
    await expect(late).rejects.toBeInstanceOf(LeaseLostError);
    const rows = dying.connection.collection('lease_sessions');
    expect(await rows.countDocuments({ lease: 'ended' })).toBe(0);
  });
});
