import { setTimeout as delay } from 'node:timers/promises';
import { type MemberNumber, type Members, memberNumbers } from './members.js';

export interface Election {
  /** When the new primary was first seen to take writes. */
  atMs: number;
  electionId: string;
  primary: MemberNumber;
}

/** Asks the members who is primary, and notes every election that it has not seen yet; the first one is the initial. */
export interface ElectionWatch {
  elections(): readonly Election[];
  stop(): Promise<void>;
}

const everyMs = 100;

export function watchElections(members: Members, clock: () => number): ElectionWatch {
  const elections: Election[] = [];
  let stopping = false;

  /** A member that does not answer delays only the detection of its own election. */
  async function watch(number: MemberNumber): Promise<void> {
    while (!stopping) {
      const told = await members.member(number).hello();
      const { writable = false, electionId } = told ?? {};
      if (writable && electionId !== undefined && elections.every((one) => one.electionId !== electionId)) {
        elections.push({ atMs: clock(), electionId, primary: number });
      }
      await delay(everyMs);
    }
  }

  const watching = memberNumbers.map(watch);
  return {
    elections: () => elections,
    async stop() {
      stopping = true;
      await Promise.all(watching);
    },
  };
}
