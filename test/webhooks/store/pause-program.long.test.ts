import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { closedAfterEach } from '../../fixtures/deliveries/closing.js';
import { testDatabase } from '../../support/database.js';
import { runProgram } from '../../support/run-program.js';

const { uri } = testDatabase();
const { openWithReceiver } = closedAfterEach(uri);
const program = fileURLToPath(new URL('../../../server/pause-webhooks.ts', import.meta.url));

function pauseWebhooks(...args: string[]) {
  const env = { PATH: process.env.PATH, MONGODB_URI: uri };
  return runProgram(process.execPath, ['--import', 'tsx', program, ...args], { env });
}

it('pauses every webhook and lists it, but none where it is given an argument', async () => {
  const { to, fixture } = await openWithReceiver();
  const { id, url } = await fixture.register(to.origin);
  for (const argument of ['--help', '--dry-run', id]) {
    const refused = { status: 2, stdout: '', stderr: expect.stringContaining(argument) };
    expect(await pauseWebhooks(argument)).toEqual(refused);
  }
  expect(await fixture.webhooks.get(id)).toMatchObject({ enabled: true });

  const { status, stdout, stderr } = await pauseWebhooks();
  expect([status, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ paused: [{ id, url }] });
  expect(await fixture.webhooks.get(id)).toMatchObject({ enabled: false });
});
