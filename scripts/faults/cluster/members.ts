import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findMongod } from '../../find-mongod.js';
import { freePort } from '../../lib/free-port.js';
import { createMember, type Member } from './member.js';
import { type MemberProxy, startMemberProxy } from './member-proxy.js';
import { createNetwork, type Network, type Place } from './network.js';
import { mountSmallDisk, type SmallDisk } from './small-disk.js';
import { socketOwner } from './socket-owner.js';

export type MemberNumber = 0 | 1 | 2;
export const memberNumbers: readonly MemberNumber[] = [0, 1, 2];

/** A replica set of three members; every connection between them, and from outside, goes through their proxies. */
export interface Members {
  /** The URI of the proxies. */
  uri(database: string): string;
  network: Network;
  member(number: MemberNumber): Member;
  proxy(number: MemberNumber): MemberProxy;
  /** The member that takes writes, as soon as there is one. */
  untilPrimary(): Promise<MemberNumber>;
  /**
   * Resolves when there is one primary and both others have its writes: a member that rolls back reports that it follows,
   * but acknowledges nothing.
   */
  untilWhole(): Promise<void>;
  /** The disk of member 2; undefined if the system does not allow one. */
  smallDisk: SmallDisk | undefined;
  stop(): Promise<void>;
}

const setName = 'storm';
const smallDiskMegabytes = 700;
/** MongoDB's own is ten seconds: more elections fit into a run. */
const electionTimeoutMs = 3_000;
/** On a machine with other work. */
const electedWithinMs = 60_000;
const startedWithinMs = 60_000;
const wholeWithinMs = 90_000;
const pollMs = 100;
const replicatedWithinMs = 2_000;

/** @param folder for data and logs: `member-0.log` and so on */
export async function startMembers({
  folder,
  dataFolder,
}: {
  folder: string;
  dataFolder: string;
}): Promise<Members> {
  const found = await findMongod({ env: { ...process.env, MONGODB_URI: undefined } });
  if (found.kind !== 'binary') throw new Error('the storm needs a mongod of its own');
  const network = createNetwork();
  const smallDisk = await mountSmallDisk(join(dataFolder, 'small-disk'), smallDiskMegabytes);
  const members: Member[] = [];
  const proxies: MemberProxy[] = [];

  const stop = async () => {
    network.heal();
    await Promise.all(members.map((one) => one.stop()));
    await Promise.all(proxies.map((one) => one.stop()));
    await smallDisk?.stop();
  };

  function placeOf(remotePort: number, proxyPort: number): Place {
    const pids = members.map((one) => one.pid());
    const owner = socketOwner(
      remotePort,
      proxyPort,
      pids.filter((pid) => pid !== undefined),
    );
    return memberNumbers.find((number) => owner !== undefined && pids[number] === owner) ?? 'services';
  }
  const each = <T>(all: readonly T[], number: MemberNumber): T => {
    const one = all[number];
    if (one === undefined) throw new Error(`there is no member ${number}`);
    return one;
  };

  /** The member that takes writes now; undefined while there is none. */
  async function primary(): Promise<MemberNumber | undefined> {
    const told = await Promise.all(members.map((one) => one.hello()));
    const writable = memberNumbers.filter((number) => told[number]?.writable === true);
    // Two may say so for a moment: a primary that is cut off does not know of the next. The later election counts.
    return writable.sort((a, b) => (told[b]?.electionId ?? '').localeCompare(told[a]?.electionId ?? ''))[0];
  }

  async function until(what: string, withinMs: number, holds: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + withinMs;
    while (!(await holds())) {
      if (Date.now() > deadline) throw new Error(`${what} took more than ${withinMs / 1000} s`);
      await delay(pollMs);
    }
  }

  async function untilPrimary(): Promise<MemberNumber> {
    let number: MemberNumber | undefined;
    await until('an election', electedWithinMs, async () => {
      number = await primary();
      return number !== undefined;
    });
    return number as MemberNumber;
  }

  try {
    for (const number of memberNumbers) {
      const dbPath =
        number === 2 && smallDisk !== undefined ? smallDisk.folder : join(dataFolder, `member-${number}`);
      await mkdir(dbPath, { recursive: true });
      const port = await freePort();
      members.push(
        createMember({
          binary: found.path,
          dbPath,
          port,
          setName,
          logFile: join(folder, `member-${number}.log`),
        }),
      );
      proxies.push(await startMemberProxy({ member: number, memberPort: port, network, placeOf }));
    }
    await Promise.all(members.map((one) => one.start()));
    await each(members, 0).admin({
      replSetInitiate: {
        _id: setName,
        members: memberNumbers.map((_id) => ({ _id, host: `127.0.0.1:${each(proxies, _id).port}` })),
        settings: { electionTimeoutMillis: electionTimeoutMs },
      },
    });
    await until('the start of the replica set', startedWithinMs, isWhole);
  } catch (error) {
    await stop();
    throw error;
  }

  async function isWhole(): Promise<boolean> {
    const told = await Promise.all(members.map((one) => one.hello()));
    const primaries = memberNumbers.filter((number) => told[number]?.writable === true);
    const [number] = primaries;
    if (number === undefined || primaries.length > 1) return false;
    if (told.filter((one) => one?.secondary === true).length < 2) return false;
    return allHaveWhatIsWritten(each(members, number));
  }

  async function allHaveWhatIsWritten(primary: Member): Promise<boolean> {
    const writeConcern = { w: memberNumbers.length, wtimeout: replicatedWithinMs };
    try {
      const answer = await primary.admin({
        appendOplogNote: 1,
        data: { note: 'whether every member has what is written' },
        writeConcern,
      });
      return answer.writeConcernError === undefined;
    } catch {
      return false;
    }
  }

  const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    uri: (database) => `mongodb://${hosts}/${database}?replicaSet=${setName}`,
    network,
    member: (number) => each(members, number),
    proxy: (number) => each(proxies, number),
    untilPrimary,
    untilWhole: () => until('the healing of the replica set', wholeWithinMs, isWhole),
    smallDisk,
    stop,
  };
}
