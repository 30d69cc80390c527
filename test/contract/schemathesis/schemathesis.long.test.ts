import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect } from '@jest/globals';
import { signer, storedIntent } from '../../fixtures/disputes/dispute-values.js';
import { insertIntents } from '../../fixtures/intents/stored-intents.js';
import { publisherFixture } from '../../fixtures/publisher/publisher-over-http.js';
import { testAdminKey, testCronSecret } from '../../support/app.js';
import { pythonTools } from '../../support/installed-tools.js';
import { itWhere } from '../../support/it-where.js';
import { runProgram } from '../../support/run-program.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const artifacts = fileURLToPath(new URL('../../../artifacts', import.meta.url));
// Which links schemathesis follows depends on the answers that it gets: random ids made it too few at times.
let ids = 0;
const fixture = await publisherFixture({}, { newId: () => (ids++).toString(16).padStart(32, '0') });

const installed = await pythonTools('schemathesis', new URL('requirements.txt', import.meta.url));

const itInstalled = itWhere(installed !== undefined, 'no python3 or no PyPI: schemathesis');

beforeAll(async () => {
  if (installed === undefined) return;
  await fixture.publish();
  const owner = signer('an account that schemathesis meets');
  await insertIntents(fixture.app.connection, storedIntent(owner.account, 'settled'));
}, 120_000);

/** Runs schemathesis, which must find nothing, and keeps its output in the artifacts. */
async function run(name: string, ...args: string[]): Promise<string> {
  const { url } = fixture.app;
  const config = ['--config-file', join(here, 'schemathesis.toml'), '--no-color'];
  const { status, stdout, stderr } = await runProgram(
    join(installed ?? '', 'bin/schemathesis'),
    [...config, 'run', `${url}/openapi.json`, '--url', url, ...args],
    {
      // schemathesis stores failures for replay in its working directory.
      cwd: installed ?? '',
      timeoutMs: 280_000,
      env: {
        PATH: process.env.PATH,
        PYTHONPATH: here,
        PYTHONDONTWRITEBYTECODE: '1',
        SCHEMATHESIS_HOOKS: 'hooks',
        ADMIN_KEY: testAdminKey,
        CRON_SECRET: testCronSecret,
      },
    },
  );
  mkdirSync(artifacts, { recursive: true });
  writeFileSync(join(artifacts, `schemathesis-${name}.txt`), stdout);
  expect({ status, report: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, report: '' });
  return stdout;
}

function linksCovered(report: string): number {
  return Number(/API Links: +(\d+) covered/.exec(report)?.[1] ?? 0);
}

itInstalled(
  'schemathesis finds nothing between the document and the service, over all operations and along their links',
  async () => {
    expect(linksCovered(await run('all'))).toBeGreaterThan(20);
  },
  300_000,
);

itInstalled(
  'nor along the links of an intent, to its state, its transaction and its dispute',
  async () => {
    const tags = ['intents', 'disputes'].flatMap((tag) => ['--include-tag', tag]);
    const report = await run('intents', '--phases', 'stateful', ...tags);
    expect(linksCovered(report)).toBeGreaterThan(5);
    expect(report).not.toMatch(/never reached/);
  },
  300_000,
);
