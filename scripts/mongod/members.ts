import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { findMongod } from '../find-mongod.js';
import { breakable } from '../lib/instances.js';
import { freePort } from '../lib/loopback-server.js';

/** One mongod of the replica set, which starts again on its data. */
type Member = ReturnType<typeof createMember>;

export type Members = Awaited<ReturnType<typeof startMembers>>;

const setName = 'storm';
/** MongoDB's own is ten seconds: more elections fit into a run. */
const electionTimeoutMs = 5_000;
const helloTimeoutMs = 500;
const wholeWithinMs = 90_000;

/** A replica set of three members. @param folder for data and logs */
export async function startMembers(folder: string) {
  const found = await findMongod({ env: { ...process.env, MONGODB_URI: undefined } });
  if (found.kind !== 'binary') throw new Error('the storm needs a mongod of its own');
  const members: Member[] = [];
  for (const number of [0, 1, 2])
    members.push(createMember(found.path, folder, `member-${number}`, await freePort()));

  async function isWhole(): Promise<boolean> {
    const primaries: Member[] = [];
    for (const member of members) if (await member.isPrimary()) primaries.push(member);
    const [primary] = primaries;
    if (primary === undefined || primaries.length > 1) return false;
    try {
      const note = { appendOplogNote: 1, data: { note: 'whole' }, writeConcern: { w: 3, wtimeout: 2_000 } };
      const answer = await primary.admin(note);
      return answer.writeConcernError === undefined;
    } catch {
      return false;
    }
  }

  /** Resolves when all three have what is written. */
  async function untilWhole(): Promise<void> {
    for (const deadline = Date.now() + wholeWithinMs; !(await isWhole()); await delay(100))
      if (Date.now() > deadline)
        throw new Error(`the replica set was not whole in ${wholeWithinMs / 1_000} s`);
  }

  await Promise.all(members.map((member) => member.start()));
  await members[0]?.admin({
    replSetInitiate: {
      _id: setName,
      members: members.map(({ host }, _id) => ({ _id, host })),
      settings: { electionTimeoutMillis: electionTimeoutMs },
    },
  });
  await untilWhole();
  return {
    uri: `mongodb://${members.map(({ host }) => host).join(',')}/storm?replicaSet=${setName}`,
    /** The primary, then the secondaries. Waits for an election. */
    async inOrder(): Promise<[primary: Member, ...secondaries: Member[]]> {
      await untilWhole();
      const states = await Promise.all(members.map((member) => member.isPrimary()));
      const primary = members.find((_, place) => states[place]) as Member;
      return [primary, ...members.filter((member) => member !== primary)];
    },
    untilWhole,
    pids: members.map(({ pid }) => pid()),
    stop: async () => void (await Promise.all(members.map((member) => member.stop()))),
  };
}

function createMember(binary: string, folder: string, name: string, port: number) {
  const dbPath = join(folder, name);
  mkdirSync(dbPath, { recursive: true });
  let connecting: Promise<mongo.MongoClient> | undefined;

  /** The driver gives up a client whose first connection fails; one that was connected once connects again. */
  function connected(): Promise<mongo.MongoClient> {
    connecting ??= mongo.MongoClient.connect(`mongodb://127.0.0.1:${port}/admin`, {
      directConnection: true,
      serverSelectionTimeoutMS: helloTimeoutMs,
      connectTimeoutMS: helloTimeoutMs,
      socketTimeoutMS: 5_000,
    }).catch((error: unknown) => {
      connecting = undefined;
      throw error;
    });
    return connecting;
  }

  const admin = async (command: Record<string, unknown>): Promise<Record<string, unknown>> =>
    (await connected()).db('admin').command(command);
  const hello = () =>
    Promise.race([admin({ hello: 1 }), delay(helloTimeoutMs, undefined)]).catch(() => undefined);
  const place = ['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1'];
  const small = ['--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '200', '--quiet'];
  const unread = ['--setParameter', 'diagnosticDataCollectionEnabled=false'];
  const args = [...place, '--replSet', setName, ...small, ...unread];
  const isUp = async () => (await hello()) !== undefined;
  const mongod = breakable({ name, folder, command: binary, args, isUp });
  return {
    ...mongod,
    host: `127.0.0.1:${port}`,
    admin,
    isPrimary: async () => (await hello())?.isWritablePrimary === true,
    stepDown: async () => void (await admin({ replSetStepDown: 5, force: true }).catch(() => undefined)),
    async stop(): Promise<void> {
      await mongod.end('SIGKILL');
      await (await connecting?.catch(() => undefined))?.close(true);
    },
  };
}
