/** The values that global setup passes to every test file, by environment variables, which workers inherit. */
const variables = {
  /** The replica set of this run; use testDatabase() to get a database of your own on it. */
  mongoUri: 'FAIRLEAD_TEST_MONGO_URI',
  /** A folder of this run's own, kept for a few runs. */
  runDir: 'FAIRLEAD_TEST_RUN_DIR',
  /** The folder in which HTTP tests record the answers they saw, one file per process. */
  answersDir: 'FAIRLEAD_ANSWERS_DIR',
} as const;

export type TestRun = { readonly [K in keyof typeof variables]: string };

export const testRun: TestRun = {
  get mongoUri() {
    return read('mongoUri');
  },
  get runDir() {
    return read('runDir');
  },
  get answersDir() {
    return read('answersDir');
  },
};

export function provideTestRun(run: TestRun): void {
  for (const [name, variable] of Object.entries(variables))
    process.env[variable] = run[name as keyof TestRun];
}

function read(name: keyof TestRun): string {
  const value = process.env[variables[name]];
  if (value === undefined)
    throw new Error(`${variables[name]} is not set: the global setup of the tests did not run`);
  return value;
}
