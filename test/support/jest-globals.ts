import { createRequire } from 'node:module';
import type * as Jest from '@jest/globals';

type Globals = Pick<
  typeof Jest,
  'describe' | 'it' | 'test' | 'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach'
>;

const require = createRequire(import.meta.url);
const { ModernFakeTimers } = require('@jest/fake-timers') as typeof import('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock') as typeof import('jest-mock');

/**
 * What tests get for `@jest/globals` (see jest-imports.mjs). Modules that several files of tests share are loaded once,
 * and each file has a test runner of its own, so a call goes to the one of the file that runs.
 */
let provided: Globals | undefined;
/** Returns those of before. */
export function provideJest(globals: object | undefined): object | undefined {
  const before = provided;
  provided = globals as Globals | undefined;
  return before;
}

function current<K extends keyof Globals>(name: K): Globals[K] {
  return late(() => provided?.[name]) as Globals[K];
}

/** A function that is looked up when it is called, and so are those that it has, such as `it.skip` and `it.skip.each`. */
function late(lookUp: () => unknown): unknown {
  return new Proxy(() => undefined, {
    apply: (_, __, given: unknown[]) => Reflect.apply(lookUp() as () => unknown, undefined, given),
    get: (_, property) =>
      Reflect.has(lookUp() as object, property)
        ? late(() => Reflect.get(lookUp() as object, property))
        : undefined,
  });
}

export const describe = current('describe');
export const it = current('it');
export const test = current('test');
export const beforeAll = current('beforeAll');
export const afterAll = current('afterAll');
export const beforeEach = current('beforeEach');
export const afterEach = current('afterEach');
export const { jestExpect: expect } = require('@jest/expect') as typeof import('@jest/expect');

const mocker = new ModuleMocker(globalThis);
// What Node itself queues, and the driver and open sockets with it, must not wait for a clock that a test moves.
const fakeTimers = { doNotFake: ['nextTick', 'queueMicrotask'] };
const timers = new ModernFakeTimers({ config: { fakeTimers } as never, global: globalThis });

/** What our tests use of the object. */
export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
  useFakeTimers: timers.useFakeTimers.bind(timers),
  useRealTimers: timers.useRealTimers.bind(timers),
  advanceTimersByTime: timers.advanceTimersByTime.bind(timers),
  advanceTimersByTimeAsync: timers.advanceTimersByTimeAsync.bind(timers),
  getTimerCount: timers.getTimerCount.bind(timers),
};
