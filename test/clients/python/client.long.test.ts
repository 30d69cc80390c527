import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from '@jest/globals';
import { expectFirstRequest, expectWholeTour, tourFixture } from '../../fixtures/clients/tour.js';
import { runsHere } from '../../support/it-where.js';
import {
  canDownload,
  clientFolder,
  itWithToolchain,
  runTool,
  toolchainCache,
  toolchainTimeoutMs,
} from '../../support/toolchains.js';

const tour = await tourFixture();
const folder = mkdtempSync(join(tmpdir(), 'fairlead-python-'));
/** The client's folder in a copy of the repository. */
const copy = join(folder, 'clients/python');
const python = join(folder, 'venv/bin/python');
const env = {
  ...process.env,
  PIP_CACHE_DIR: toolchainCache('pip'),
  PIP_CONSTRAINT: join(copy, 'constraints.txt'),
  PYTHONDONTWRITEBYTECODE: '1',
};
const inPython = (...args: string[]) => runTool(python, args, { cwd: copy, env });

/** Builds the wheel as it would be published, with the build system that pip downloads, and installs it. */
async function install(): Promise<void> {
  for (const path of ['docs/openapi.client.json', 'contract/vectors', 'test/vectors'])
    cpSync(join(clientFolder('python'), '../..', path), join(folder, path), { recursive: true });
  cpSync(clientFolder('python'), copy, {
    recursive: true,
    filter: (path) => !path.endsWith('/src/fairlead/rest'),
  });
  await runTool('python3', ['-m', 'venv', join(folder, 'venv')], { cwd: folder, env });
  await inPython('-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', join(folder, 'wheels'), '.');
  await inPython('-m', 'pip', 'install', '--quiet', '--find-links', join(folder, 'wheels'), 'fairlead');
  // Ensures that the imports below find the installed wheel.
  rmSync(join(copy, 'src'), { recursive: true });
}

const hasPython = runsHere(
  'python3',
  '-c',
  'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))',
);
const itInPython = itWithToolchain(
  hasPython && (await canDownload(install)),
  'no python3 of 3.11 or later with venv, or no package index: the client in Python',
);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the client in Python, installed from its wheel', () => {
  itInPython(
    'signs and verifies what the vectors hold and nothing else, waits, and raises errors by code',
    async () => {
      await inPython('-W', 'error', '-m', 'unittest', 'discover', 'tests');
    },
    toolchainTimeoutMs,
  );

  itInPython(
    'makes the first request of README.md',
    async () => {
      const program = join(folder, 'first.py');
      writeFileSync(program, tour.firstRequest(join(copy, 'README.md')));
      expectFirstRequest(await inPython(program));
    },
    toolchainTimeoutMs,
  );

  itInPython(
    'does all that it is for against the service',
    async () => {
      const steps = await tour.run(python, [join(copy, 'examples/tour.py')], { cwd: copy, env });
      expectWholeTour(steps);
    },
    toolchainTimeoutMs,
  );

  itInPython('needs nothing but the standard library to verify', async () => {
    const modules = 'fairlead.batches, fairlead.disputes, fairlead.intents, fairlead.webhooks';
    const names = await inPython('-c', `import sys, ${modules}; print(*sys.modules)`);
    expect(names).not.toMatch(/\b(httpx|attr|cryptography)\b/);
  });
});
