import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findMongod } from '../find-mongod.js';
import { createMongod, type Mongod } from './mongod.js';

export type Members = Awaited<ReturnType<typeof startMembers>>;

const setName = 'storm';
/** MongoDB's own is ten seconds: more elections fit into a run. */
const electionTimeoutMs = 5_000;
const wholeWithinMs = 90_000;

/** A replica set of three members. @param folder for data and logs */
export async function startMembers(folder: string) {
  const found = await findMongod({ env: { ...process.env, MONGODB_URI: undefined } });
  if (found.kind !== 'binary') throw new Error('the storm needs a mongod of its own');
  const members: Mongod[] = [];
  for (const name of ['member-0', 'member-1', 'member-2'])
    members.push(await createMongod({ binary: found.path, folder: join(folder, name), setName, name }));

  async function isWhole(): Promise<boolean> {
    const primaries: Mongod[] = [];
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
    async inOrder(): Promise<[primary: Mongod, ...secondaries: Mongod[]]> {
      await untilWhole();
      const states = await Promise.all(members.map((member) => member.isPrimary()));
      const primary = members.find((_, place) => states[place]) as Mongod;
      return [primary, ...members.filter((member) => member !== primary)];
    },
    untilWhole,
    pids: members.map(({ pid }) => pid()),
    stop: async () => void (await Promise.all(members.map((member) => member.stop('SIGKILL')))),
  };
}
