import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { TestResult } from '@jest/reporters';
import type { Circus, Config } from '@jest/types';
import type { SeededRun } from './seeded.js';

type TestRunner = (
  globalConfig: Config.GlobalConfig,
  config: Config.ProjectConfig,
  environment: unknown,
  runtime: unknown,
  testPath: string,
  sendMessage?: unknown,
) => Promise<TestResult>;

const require = createRequire(import.meta.url);
const { default: circus } = require('jest-circus/runner') as { default: TestRunner };
/** jest-circus keeps these on globalThis: the handlers of its events, and the tests of a file. */
const eventHandlers = Symbol.for('EVENT_HANDLERS');
const stateDescription = 'JEST_STATE_SYMBOL';

// A worker whose test has open connections would run on for ever after Jest has ended early, as it does with `--bail`.
const exit = () => process.exit(1);
process.once('disconnect', exit);
// Jest listens for messages until the run is over; then this listener alone would keep the process.
process.on('removeListener', (event) => event === 'message' && process.off('disconnect', exit));

/**
 * Jest's own test runner, with Node loading the modules: a test file runs as production does, in the only realm of its
 * process, and modules loaded for one file stay loaded for the next file in the process. Jest would load Express, mongoose
 * and our modules again for each file, which took half of the processor time of the run (docs/adr/0009-test-runner.md). So a
 * module must not keep state that one test file could leave to another.
 */
const runFile: TestRunner = async (globalConfig, config, _environment, _runtime, testPath, sendMessage) => {
  // Imported here as the tests import it: Jest loads this file as CommonJS, with separate module instances.
  const { jest, provideJest } = await import('./jest-globals.js');
  // Jest maps stacks by the sources that it has transformed; Node knows the sources that tsx has transformed.
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  const variables = { ...process.env };
  const runtime = {
    requireInternalModule: requireAnew,
    requireModule: require,
    setGlobalsForRuntime: provideJest,
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path: string) => import(pathToFileURL(path).href),
    enterTestCode: () => undefined,
    leaveTestCode: () => undefined,
  };
  const environment = { global: globalThis, handleTestEvent };
  try {
    return await circus(globalConfig, config, environment, runtime, testPath, sendMessage);
  } finally {
    jest.useRealTimers();
    jest.restoreAllMocks();
    restoreVariables(variables);
    delete (globalThis as SeededRun).fairleadTestSeed;
    forgetTests();
  }
};

export default runFile;

/** Loads the test runner again, since it holds the tests of one file. */
function requireAnew(path: string): unknown {
  delete require.cache[require.resolve(path)];
  Reflect.deleteProperty(globalThis, eventHandlers);
  return require(path);
}

/** Restores the variables in place, so that references to process.env stay valid. */
function restoreVariables(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
}

/** Removes the tests of a file, whose references would stay in the worker's memory. */
function forgetTests(): void {
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (symbol.description === stateDescription) Reflect.deleteProperty(globalThis, symbol);
  }
}

function handleTestEvent(event: Circus.Event): void {
  if (event.name === 'run_describe_start') closeLastFirst(event.describeBlock.hooks);
  if (event.name === 'test_done' && event.test.errors.length > 0) printSeed();
}

/**
 * Jest calls afterAll hooks in the order of their registration. What was opened last must close first: a service whose
 * database has gone before it cannot hand back its leases.
 */
function closeLastFirst(hooks: Circus.Hook[]): void {
  const reversed = hooks.filter(({ type }) => type === 'afterAll').reverse();
  hooks.splice(0, hooks.length, ...hooks.filter(({ type }) => type !== 'afterAll'), ...reversed);
}

/** A failed test of a file that draws from a seed prints it, so that the run can be repeated. */
function printSeed(): void {
  const { fairleadTestSeed } = globalThis as SeededRun;
  if (fairleadTestSeed !== undefined) process.stderr.write(`${fairleadTestSeed}\n`);
}
