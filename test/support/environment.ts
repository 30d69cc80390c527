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

  handleTestEvent(event: TestEvent): void {
    if (event.name === 'run_describe_start') closeLastFirst(event.describeBlock.hooks);
    if (event.name === 'test_done') this.#printSeed(event.test);
  }

  /** A failed test of a file that draws from a seed prints it, so that the run can be repeated. */
  #printSeed({ errors }: { errors: unknown[] }): void {
    const { fairleadTestSeed } = this.global as SeededRun;
    if (errors.length > 0 && fairleadTestSeed !== undefined) process.stderr.write(`${fairleadTestSeed}\n`);
  }
}

interface Hook {
  type: string;
}

type TestEvent =
  | { name: 'run_describe_start'; describeBlock: { hooks: Hook[] } }
  | { name: 'test_done'; test: { errors: unknown[] } };

/**
 * Jest calls afterAll hooks in the order in which they were given. What was opened last must close first: a service
 * whose database has gone before it cannot hand back what it holds.
 */
function closeLastFirst(hooks: Hook[]): void {
  const reversed = hooks.filter(({ type }) => type === 'afterAll').reverse();
  hooks.splice(0, hooks.length, ...hooks.filter(({ type }) => type !== 'afterAll'), ...reversed);
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
