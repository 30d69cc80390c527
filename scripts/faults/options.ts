import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { allKinds, type FaultKind } from './plan.rules.js';

export interface StormOptions {
  seed: number;
  /** Duration of the run. Two minutes before its end no new fault begins; then repairs are finished and compared. */
  minutes: number;
  /** Seconds without faults, as a reference. */
  calmSeconds: number;
  elections: number;
  kills: number;
  instances: number;
  only: readonly FaultKind[] | undefined;
  /** A checkout whose service is run; this one where absent. */
  server: string | undefined;
}

export const usage = `npm run test:faults -- [--seed N] [--minutes M] [--calm SECONDS] [--elections N] [--kills N]
                       [--instances N] [--only fault,fault] [--server FOLDER]
faults: ${allKinds.join(' ')}`;

/** @throws Error with a message of one line. */
export function readOptions(args: readonly string[]): StormOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: text,
      minutes: text,
      calm: text,
      elections: text,
      kills: text,
      instances: text,
      only: text,
      server: text,
    },
  });
  const number = (name: Exclude<keyof typeof values, 'only' | 'server'>, usual: number, atLeast: number) => {
    const given = values[name];
    if (given === undefined) return usual;
    if (!/^\d{1,10}$/.test(given) || Number(given) < atLeast)
      throw new Error(`--${name} must be a whole number, ${atLeast} or more`);
    return Number(given);
  };
  const only = values.only?.split(',').map((kind) => {
    const known = allKinds.find((one) => one === kind);
    if (known === undefined) throw new Error(`--only: there is no fault ${kind}`);
    return known;
  });
  return {
    seed: number('seed', randomInt(2 ** 31), 0),
    minutes: number('minutes', 8, 2),
    calmSeconds: number('calm', 25, 1),
    elections: number('elections', 4, 0),
    kills: number('kills', 12, 0),
    instances: number('instances', 3, 2),
    only,
    server: values.server === undefined ? undefined : resolve(values.server),
  };
}
