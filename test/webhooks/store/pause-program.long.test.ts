import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { closedAfterEach } from '../../fixtures/webhooks/closing.js';
import { testDatabase } from '../../support/database.js';
import { runProgram } from '../../support/run-program.js';

const { uri } = testDatabase();
const { openWithReceiver } = closedAfterEach(uri);
const program = fileURLToPath(new URL('../../../server/cli.ts', import.meta.url));

function pauseWebhooks() {
  const env = { PATH: process.env.PATH, MONGODB_URI: uri };
  return runProgram(process.execPath, ['--import', 'tsx', program, 'pause-webhooks'], { env });
}

it('pauses every webhook and lists it', async () => {
  const { to, fixture } = await openWithReceiver();
  const { id, url } = await fixture.register(to.origin);
  const { status, stdout, stderr } = await pauseWebhooks();
  expect([status, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ paused: [{ id, url }] });
  expect(await fixture.webhooks.get(id)).toMatchObject({ enabled: false });
});

it('lists all again where the run before was applied and could not say so', async () => {
  const { to, fixture } = await openWithReceiver();
  const [first, second] = [await fixture.register(to.origin), await fixture.register(`${to.origin}/second`)];
  // The output of the first run is lost, as where a majority of the members confirms the write too late.
  await pauseWebhooks();
  const at = (await fixture.webhooks.get(first.id)).disabled?.at;

  const { status, stdout } = await pauseWebhooks();
  expect(status).toBe(0);
  const { paused, pausedBefore } = JSON.parse(stdout);
  expect(paused).toEqual([]);
  expect(pausedBefore).toEqual(
    [first, second].map(({ id, url, createdAt }) => ({ id, url, createdAt, pausedAt: at })),
  );
});
