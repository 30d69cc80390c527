import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { openAggregationFixture } from '../../fixtures/reputation/aggregation-fixture.js';
import { testDatabase } from '../../support/database.js';
import { runProgram } from '../../support/run-program.js';

const { uri } = testDatabase();
const program = fileURLToPath(new URL('../../../server/cli.ts', import.meta.url));

function rebuild(env: Record<string, string>, ...options: string[]) {
  const { PATH = '' } = process.env;
  return runProgram(process.execPath, ['--import', 'tsx', program, 'rebuild', ...options], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: { PATH, ...env },
  });
}

it('the rebuild program exits with 2 when it cannot run, and with 0 when both counts agree', async () => {
  expect(await rebuild({})).toMatchObject({ status: 2, stderr: expect.stringContaining('MONGODB_URI') });
  const fixture = await openAggregationFixture(uri);
  await fixture.close();
  const done = await rebuild({ MONGODB_URI: uri });
  expect(done).toMatchObject({ status: 0, stderr: '0 intents counted …\n' });
  expect(JSON.parse(done.stdout)).toMatchObject({ differing: 0, stale: 0, adopted: false });
});
