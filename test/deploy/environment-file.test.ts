import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { runProgram } from '../support/run-program.js';

const guide = readFileSync(new URL('../../docs/operations/deploy.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'fairlead-environment-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the environment file of systemd gets every variable of .env that has a value, also one with a digit in its name', async () => {
  const filter = /^(grep .+ \.env) \| install .+ \/etc\/fairlead\/environment$/m.exec(guide)?.[1] ?? '';
  const given = [
    '# A comment, and WORDS=1 in it.',
    'NODE_ENV=',
    'HOST=127.0.0.1',
    '',
    // The fleet file's `partnerToken.env` may name such a variable.
    'ANCHOR2_TOKEN=a=b',
  ];
  writeFileSync(join(folder, '.env'), `${given.join('\n')}\n`);
  const { status, stdout } = await runProgram('sh', ['-c', filter], { cwd: folder });
  expect([status, stdout]).toEqual([0, 'HOST=127.0.0.1\nANCHOR2_TOKEN=a=b\n']);
});
