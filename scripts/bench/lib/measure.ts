import { medianOf } from './figures.js';
import type { RequestShape } from './generator/requests.js';
import type { LoadFigures, LoadOptions } from './generator/run.js';
import { answerTimeoutMs, type Program, processCpuMs } from './program.js';
import type { DescribedLoad } from './programs/load-generator.js';

/** A server that is measured. */
export interface Target {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** Milliseconds of processor time it has spent. */
  cpuMs(): Promise<number>;
}

export type AskedLoad = Omit<DescribedLoad, 'origins' | keyof LoadDefaults> &
  Partial<LoadDefaults> & {
    request: RequestShape;
    seconds: number;
    /** Called between the warm-up and the measurement, while the load goes on. */
    onWarm?: () => Promise<void>;
  };

type LoadDefaults = Pick<LoadOptions, 'connections' | 'warmUpSeconds' | 'expect'>;

const usual: LoadDefaults = { connections: 64, warmUpSeconds: 1, expect: 200 };

export interface Measured extends LoadFigures {
  /** Microseconds of processor time per answer, of all targets together. */
  cpuMicros: number;
  /** Processor time of the targets, as a share of the time. */
  busy: number;
  /** Microseconds of mongod per answer; NaN where it is not asked for or not known. */
  mongodMicros: number;
}

/** Sends load from the generator's process, and counts after the warm-up. */
export type MeasureLoad = (targets: Target | readonly Target[], load: AskedLoad) => Promise<Measured>;

export function createMeasure(generator: Program, mongodPid: number | undefined): MeasureLoad {
  return async (target, { seconds, onWarm, ...load }) => {
    const targets = [target].flat();
    const cpuMs = async () => {
      const [mongodMs, ...eachMs] = await Promise.all([
        processCpuMs(mongodPid),
        ...targets.map((each) => each.cpuMs()),
      ]);
      return { mongodMs, targetsMs: eachMs.reduce((sum, each) => sum + each, 0) };
    };
    const described: DescribedLoad = { ...usual, ...load, origins: targets.map(({ url }) => url) };
    await generator.ask('warm-up', described);
    await onWarm?.();
    const before = await cpuMs();
    const limitMs = seconds * 1_000 + answerTimeoutMs;
    const figures = (await generator.ask('measure', seconds, limitMs)) as LoadFigures;
    const after = await cpuMs();
    const spentMs = after.targetsMs - before.targetsMs;
    return {
      ...figures,
      cpuMicros: (spentMs * 1_000) / figures.answers,
      busy: spentMs / (seconds * 1_000),
      mongodMicros: ((after.mongodMs - before.mongodMs) * 1_000) / figures.answers,
    };
  };
}

/** The median of each figure. */
export function mediansOf(rounds: readonly Measured[]): Measured {
  const [first] = rounds;
  if (first === undefined) throw new Error('nothing was measured');
  const names = Object.keys(first) as (keyof Measured)[];
  const medians = names.map((name) => [name, medianOf(rounds, (round) => round[name])]);
  return Object.fromEntries(medians) as Record<keyof Measured, number>;
}
