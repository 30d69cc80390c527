import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from '@jest/globals';
import { expectFirstRequest, expectWholeTour, tourFixture } from '../../fixtures/clients/tour.js';
import { runsHere } from '../../support/it-where.js';
import {
  canDownload,
  clientFolder,
  goEnvironment,
  itWithToolchain,
  runTool,
  toolchainTimeoutMs,
} from '../../support/toolchains.js';

const tour = await tourFixture();
const source = clientFolder('go');
const folder = mkdtempSync(join(tmpdir(), 'fairlead-go-'));
/** The client's folder in a copy of the repository. */
const copy = join(folder, 'clients/go');
const env = goEnvironment();
const go = (...args: string[]) => runTool('go', args, { cwd: copy, env });

/** Downloads the modules and the generator, in the version that generate.go names. */
async function download(): Promise<void> {
  for (const path of ['docs/openapi.client.json', 'contract/vectors', 'test/vectors'])
    cpSync(join(source, '../..', path), join(folder, path), { recursive: true });
  cpSync(source, copy, { recursive: true });
  writeFileSync(join(copy, 'rest.gen.go'), 'package fairlead\n');
  const [generator = ''] = /\S+\/cmd\/\S+@\S+/.exec(readFileSync(join(copy, 'generate.go'), 'utf8')) ?? [];
  await go('mod', 'download');
  await runTool('go', ['install', generator], { cwd: copy, env: { ...env, GOBIN: join(folder, 'bin') } });
}

const hasGo = runsHere('go', 'version') && (await canDownload(download));
const itInGo = itWithToolchain(hasGo, 'no go, or no registry of its modules: the client in Go');
if (hasGo) await go('generate', './...');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the client in Go', () => {
  itInGo(
    'is well-formed, and verifies what the vectors hold and nothing else',
    async () => {
      await go('vet', './...');
      expect(await go('test', '-count=1', './...')).toMatch(/^ok\s/m);
    },
    toolchainTimeoutMs,
  );

  itInGo(
    'makes the first request of README.md',
    async () => {
      mkdirSync(join(copy, 'examples/first'));
      writeFileSync(join(copy, 'examples/first/main.go'), tour.firstRequest(join(source, 'README.md')));
      expectFirstRequest(await go('run', './examples/first'));
    },
    toolchainTimeoutMs,
  );

  itInGo(
    'does all that it is for against the service',
    async () => {
      const program = join(folder, 'tour');
      await go('build', '-o', program, './examples/tour');
      expectWholeTour(await tour.run(program, [], { cwd: folder, env }));
    },
    toolchainTimeoutMs,
  );
});
