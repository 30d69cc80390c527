import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { findMongod } from '../find-mongod.js';
import { freePort } from '../lib/free-port.js';

/** One mongod of the replica set, in a process that may be killed, frozen and started again on its data. */
export interface Member {
  name: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  freeze(): void;
  resume(): void;
  isPrimary(): Promise<boolean>;
  stepDown(): Promise<void>;
}

/** A replica set of three members. */
export interface Members {
  uri: string;
  /** The primary, then the secondaries. Waits for an election. */
  inOrder(): Promise<[primary: Member, ...secondaries: Member[]]>;
  /** Resolves when all three have what is written. */
  untilWhole(): Promise<void>;
  /** The elections so far, counted whenever `untilWhole` resolves. */
  elections(): number;
  stop(): Promise<void>;
}

const setName = 'storm';
/** MongoDB's own is ten seconds: more elections fit into a run. */
const electionTimeoutMs = 5_000;
const helloTimeoutMs = 500;
const wholeWithinMs = 90_000;

/** @param folder for data and logs */
export async function startMembers(folder: string): Promise<Members> {
  const found = await findMongod({ env: { ...process.env, MONGODB_URI: undefined } });
  if (found.kind !== 'binary') throw new Error('the storm needs a mongod of its own');
  const members: (Member & { port: number; admin: Admin; stop(): Promise<void> })[] = [];
  for (const number of [0, 1, 2])
    members.push(createMember(found.path, { folder, name: `member-${number}`, port: await freePort() }));
  const terms = new Set<string>();

  async function isWhole(): Promise<boolean> {
    const primaries: typeof members = [];
    for (const member of members) if (await member.isPrimary()) primaries.push(member);
    const [primary] = primaries;
    if (primary === undefined || primaries.length > 1) return false;
    try {
      const note = { appendOplogNote: 1, data: { note: 'whole' }, writeConcern: { w: 3, wtimeout: 2_000 } };
      const answer = await primary.admin(note);
      if (answer.writeConcernError !== undefined) return false;
      terms.add(String((await primary.admin({ hello: 1 })).electionId));
      return true;
    } catch {
      return false;
    }
  }

  async function untilWhole(): Promise<void> {
    const deadline = Date.now() + wholeWithinMs;
    while (!(await isWhole())) {
      if (Date.now() > deadline)
        throw new Error(`the replica set was not whole in ${wholeWithinMs / 1_000} s`);
      await delay(100);
    }
  }

  await Promise.all(members.map((member) => member.start()));
  await members[0]?.admin({
    replSetInitiate: {
      _id: setName,
      members: members.map(({ port }, _id) => ({ _id, host: `127.0.0.1:${port}` })),
      settings: { electionTimeoutMillis: electionTimeoutMs },
    },
  });
  await untilWhole();
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    uri: `mongodb://${hosts}/storm?replicaSet=${setName}`,
    async inOrder() {
      await untilWhole();
      const states = await Promise.all(members.map((member) => member.isPrimary()));
      const sorted = [...members].sort(
        (a, b) => Number(states[members.indexOf(b)]) - Number(states[members.indexOf(a)]),
      );
      return sorted as unknown as [Member, ...Member[]];
    },
    untilWhole,
    elections: () => terms.size - 1,
    stop: async () => void (await Promise.all(members.map((member) => member.stop()))),
  };
}

type Admin = (command: Record<string, unknown>) => Promise<Record<string, unknown>>;

function createMember(
  binary: string,
  { folder, name, port }: { folder: string; name: string; port: number },
) {
  const dbPath = join(folder, name);
  mkdirSync(dbPath, { recursive: true });
  let connecting: Promise<mongo.MongoClient> | undefined;
  let child: ChildProcess | undefined;

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

  const admin: Admin = async (command) => (await connected()).db('admin').command(command);
  const hello = () =>
    Promise.race([admin({ hello: 1 }), delay(helloTimeoutMs, undefined)]).catch(() => undefined);

  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  return {
    name,
    port,
    admin,
    kill,
    async start() {
      const log = openSync(join(folder, `${name}.log`), 'a');
      const place = ['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1'];
      const small = ['--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '200', '--quiet'];
      const unread = ['--setParameter', 'diagnosticDataCollectionEnabled=false'];
      child = spawn(binary, [...place, '--replSet', setName, ...small, ...unread], {
        stdio: ['ignore', log, log],
      });
      closeSync(log);
      while ((await hello()) === undefined) {
        if (child.exitCode !== null) throw new Error(`${name} ended at its start: see its log in ${folder}`);
        await delay(100);
      }
    },
    freeze: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    isPrimary: async () => (await hello())?.isWritablePrimary === true,
    stepDown: async () => void (await admin({ replSetStepDown: 5, force: true }).catch(() => undefined)),
    async stop() {
      await kill();
      await (await connecting?.catch(() => undefined))?.close(true);
    },
  };
}
