import { TestEnvironment } from 'jest-environment-node';
import type { SeededRun } from './seeded.js';

const errorClasses = [
  'Error',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
] as const;

type ErrorClass = (typeof globalThis)[(typeof errorClasses)[number]];

/**
 * Jest runs each test file in a realm of its own, in which `TypeError` is not the class of the TypeErrors that Node's
 * own modules throw. Production has one realm, so here `instanceof` takes the errors of the host for errors, too.
 */
export default class OneRealmOfErrors extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    for (const name of errorClasses) acceptHostErrors(this.global[name] as ErrorClass, globalThis[name]);
  }

  /** A failed test of a file that draws from a seed prints it, so that the run can be repeated. */
  handleTestEvent(event: { name: string; test?: { errors: unknown[] } }): void {
    const { fairleadTestSeed } = this.global as SeededRun;
    if (event.name !== 'test_done' || event.test?.errors.length === 0 || fairleadTestSeed === undefined)
      return;
    process.stderr.write(`${fairleadTestSeed}\n`);
  }
}

function acceptHostErrors(ours: ErrorClass, hosts: ErrorClass): void {
  const ordinary = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(ours, Symbol.hasInstance, {
    // Classes that extend an error class inherit this method: for them the ordinary answer stands.
    value(this: unknown, value: unknown): boolean {
      return ordinary.call(this, value) || (this === ours && value instanceof hosts);
    },
  });
}
