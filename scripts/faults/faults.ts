import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../server/ports.js';
import type { Instance } from '../lib/instances.js';
import type { Members } from '../mongod/members.js';

/** What a fault acts upon, and what it reports. */
export interface Stage {
  members: Members;
  instances: readonly Instance[];
  random: Random;
  /** Sends a tick of the publisher to every instance at once. */
  tickEverywhere(): Promise<void>;
  uncleanStops: string[];
}

/** How long an instance or a primary stays frozen: longer than its leases, and than an election takes. */
const frozenMs = 8_000;
/** Less than `electionTimeoutMs`, after which the primary steps down and takes no more writes. */
const aloneMs = 4_000;

function anyInstance({ instances, random }: Stage): Instance {
  return instances[Math.floor(random() * instances.length)] as Instance;
}

/** Each fault mends what it broke before it resolves, so that only one thing is broken at a time. */
export const faults = {
  async 'kill-instance'(stage: Stage) {
    const instance = anyInstance(stage);
    await instance.end('SIGKILL');
    await delay(1_000);
    await instance.start();
  },
  async 'freeze-instance'(stage: Stage) {
    const instance = anyInstance(stage);
    instance.freeze();
    await delay(frozenMs);
    instance.resume();
  },
  async 'rolling-restart'({ instances, uncleanStops }: Stage) {
    for (const instance of instances) {
      const how = await instance.end('SIGTERM');
      if (how !== 0) uncleanStops.push(`${instance.name} ended with ${how} after SIGTERM.`);
      await instance.start();
    }
  },
  async 'kill-primary'({ members }: Stage) {
    const [primary] = await members.inOrder();
    await primary.end('SIGKILL');
    await delay(5_000);
    await primary.start();
  },
  async 'freeze-primary'({ members }: Stage) {
    const [primary] = await members.inOrder();
    primary.freeze();
    await delay(frozenMs);
    primary.resume();
  },
  async 'step-down'({ members }: Stage) {
    const [primary] = await members.inOrder();
    await primary.stepDown();
  },
  /** What only the primary has is rolled back. */
  async 'lone-primary'({ members }: Stage) {
    const [primary, ...secondaries] = await members.inOrder();
    // One that is frozen would go on to receive what is written, in the buffer of its socket.
    await Promise.all(secondaries.map((secondary) => secondary.end('SIGKILL')));
    await delay(aloneMs);
    await primary.end('SIGKILL');
    await Promise.all(secondaries.map((secondary) => secondary.start()));
    await delay(6_000);
    await primary.start();
  },
  /** While a member is slow, ticks come to all instances at once. */
  async 'crowd-ticks'({ members, tickEverywhere }: Stage) {
    const [, secondary] = await members.inOrder();
    for (let round = 0; round < 40; round += 1) {
      if (round % 8 === 0) secondary?.freeze();
      if (round % 8 === 4) secondary?.resume();
      await Promise.all([tickEverywhere(), delay(200)]);
    }
    secondary?.resume();
  },
} as const;

type FaultName = keyof typeof faults;
export const faultNames = Object.keys(faults) as FaultName[];

/** The order of the faults of a seed: all of them once in a random order, and again. */
export function* faultsInOrder(random: Random): Generator<FaultName> {
  for (;;)
    yield* faultNames
      .map((name) => ({ name, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ name }) => name);
}
