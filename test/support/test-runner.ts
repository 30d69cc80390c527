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
/**
 * Under these symbols circus keeps on globalThis who listens to its events, the tests of a file, and how often each is
 * tried.
 */
const eventHandlers = Symbol.for('EVENT_HANDLERS');
const stateDescription = 'JEST_STATE_SYMBOL';
const retryTimes = Symbol.for('RETRY_TIMES');
const logErrorsBeforeRetry = Symbol.for('LOG_ERRORS_BEFORE_RETRY');

// Processes are stopped and killed by tests by the clock of a shared machine: in CI a test may run once more, and the run
// says which ones did, and why. What is wrong fails twice.
if (process.env.CI === 'true') Object.assign(globalThis, { [retryTimes]: '1', [logErrorsBeforeRetry]: true });

/**
 * Jest's own test runner, with Node loading the modules: a file of tests runs as production does, in the one realm of
 * its process, and what a file has loaded the next one in the same process need not load again. Jest would load Express,
 * mongoose and all of ours anew for each file, which was half the processor time of the run (docs/adr/0009-test-runner.md).
 * So a module must not keep what one file of tests could leave to another.
 */
const runFile: TestRunner = async (globalConfig, config, _environment, _runtime, testPath, sendMessage) => {
  // Imported here as the tests import it: Jest loads this file as CommonJS, whose modules are others.
  const { jest, provideJest } = await import('./jest-globals.js');
  // Jest maps stacks by sources that it has transformed; Node knows those that tsx has.
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

/** The test runner holds the tests of one file: each file has one of its own. */
function requireAnew(path: string): unknown {
  delete require.cache[require.resolve(path)];
  Reflect.deleteProperty(globalThis, eventHandlers);
  return require(path);
}

/** In place: whoever has taken process.env keeps it. */
function restoreVariables(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
}

/** What the tests of a file hold would stay in the memory of the worker. */
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
 * Jest calls afterAll hooks in the order in which they were given. What was opened last must close first: a service
 * whose database has gone before it cannot hand back what it holds.
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
