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
 * The globals that tests get for `@jest/globals` (see jest-imports.mjs). Modules that several test files share are loaded
 * once, while each file has its own test runner, so a call goes to the runner of the file that runs.
 */
let provided: Globals | undefined;
/** Returns the previous globals. */
export function provideJest(globals: object | undefined): object | undefined {
  const before = provided;
  provided = globals as Globals | undefined;
  return before;
}

function current<K extends keyof Globals>(name: K): Globals[K] {
  return late(() => provided?.[name]) as Globals[K];
}

/** A function that is looked up when it is called; so are its members, such as `it.skip` and `it.skip.each`. */
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
// Node's own queues, which the driver and open sockets use, must not wait for a clock that a test moves.
const fakeTimers = { doNotFake: ['nextTick', 'queueMicrotask'] };
const timers = new ModernFakeTimers({ config: { fakeTimers } as never, global: globalThis });

/** The members of Jest's `jest` object that the tests use. */
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
