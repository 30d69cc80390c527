import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../lib/free-port.js';
import type { Target } from '../ports.js';
import { createInstance, type Instance } from './instance.js';

/** A time in which an instance was broken on purpose, or not yet ready again. */
export interface BrokenTime {
  url: string;
  fromMs: number;
  /** Undefined until it ends. */
  toMs: number | undefined;
}

/** The instances of the service, all with the same environment, and which of them are whole now. */
export interface Instances extends Target {
  all: readonly Instance[];
  /** Takes an intact instance to break it: that with this number, or the next one. Waits until another one is intact. */
  take(number: number): Promise<Taken>;
  /** Resolves when every instance that was to be repaired is intact. Rejects with the error of a repair that failed. */
  untilWhole(): Promise<void>;
  broken(): readonly BrokenTime[];
  stop(): Promise<void>;
}

export interface Taken {
  instance: Instance;
  /** From now on, clients cannot rely on the instance. */
  breaks(): void;
  /** Clients can rely on it again, although the fault is not over. */
  serves(): void;
  /** Brings it back and gives it back; the next fault does not wait for that. */
  mend(work: () => Promise<void>): void;
}

export interface InstancesOptions {
  count: number;
  program: string;
  env: Readonly<Record<string, string>>;
  /** For logs: `instance-1.log` and so on. */
  folder: string;
  clock: () => number;
}

const pollMs = 20;

export async function startInstances(options: InstancesOptions): Promise<Instances> {
  const { count, program, env, folder, clock } = options;
  const all: Instance[] = [];
  const taken = new Set<Instance>();
  const mending = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const broken: BrokenTime[] = [];

  async function create(name: string): Promise<Instance> {
    const port = await freePort();
    const logFile = join(folder, `${name}.log`);
    return createInstance({ name, program, port, env, logFile });
  }
  const stop = async () => {
    await Promise.all(all.map((one) => one.stop()));
  };

  try {
    for (let number = 1; number <= count; number += 1) all.push(await create(`instance-${number}`));
    await Promise.all(all.map((one) => one.start()));
  } catch (error) {
    await stop();
    throw error;
  }

  async function untilOneIsSpared(): Promise<Instance[]> {
    for (;;) {
      if (failures.length > 0) throw failures[0];
      const whole = all.filter((one) => !taken.has(one));
      if (whole.length > 1) return whole;
      await delay(pollMs);
    }
  }

  return {
    all,
    urls: () => all.map(({ url }) => url),
    async take(number) {
      const whole = await untilOneIsSpared();
      const instance = whole[number % whole.length] as Instance;
      taken.add(instance);
      let time: BrokenTime | undefined;
      const serves = () => {
        if (time !== undefined) time.toMs = clock();
        time = undefined;
      };
      return {
        instance,
        breaks() {
          time = { url: instance.url, fromMs: clock(), toMs: undefined };
          broken.push(time);
        },
        serves,
        mend(work) {
          const done = work()
            .then(() => {
              serves();
              taken.delete(instance);
            })
            .catch((error: unknown) => void failures.push(error))
            .finally(() => mending.delete(done));
          mending.add(done);
        },
      };
    },
    async untilWhole() {
      while (mending.size > 0) await Promise.all(mending);
      if (failures.length > 0) throw failures[0];
    },
    broken: () => broken,
    stop,
  };
}
