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
const folder = mkdtempSync(join(tmpdir(), 'fairlead-java-'));
/** The client's folder in a copy of the repository. */
const copy = join(folder, 'clients/java');
const classPath = ['target/classes', 'target/lib/*'].join(':');
const inJava = (...args: string[]) => runTool('java', args, { cwd: copy, env: process.env });

const maven = (...goals: string[]) =>
  runTool(
    'mvn',
    ['-B', '-ntp', '-Dstyle.color=never', `-Dmaven.repo.local=${toolchainCache('maven')}`, ...goals],
    { cwd: copy, env: process.env },
  );

/** Generates and compiles the client and its tests; Maven downloads everything except what running tests needs. */
async function download(): Promise<void> {
  for (const path of ['docs/openapi.client.json', 'contract/vectors', 'test/vectors'])
    cpSync(join(clientFolder('java'), '../..', path), join(folder, path), { recursive: true });
  cpSync(clientFolder('java'), copy, { recursive: true, filter: (path) => !path.endsWith('/target') });
  await maven('package', '-DskipTests');
}

const hasJava =
  runsHere('mvn', '--version') &&
  runsHere('java', '--source', '17', '--version') &&
  (await canDownload(download));
const itInJava = itWithToolchain(
  hasJava,
  'no Java 17 with Maven, or no repository of its packages: the client in Java',
);
const built = hasJava ? await maven('package') : '';

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the client in Java', () => {
  itInJava(
    'signs and verifies what the vectors hold and nothing else, waits, and throws errors by code',
    () => {
      for (const name of ['VectorsTest', 'BatchesTest', 'FairleadTest'])
        expect(built).toMatch(
          new RegExp(`Tests run: [1-9]\\d*, Failures: 0, Errors: 0, Skipped: 0.*${name}`),
        );
    },
  );

  itInJava(
    'makes the first request of README.md',
    async () => {
      const program = join(folder, 'First.java');
      writeFileSync(program, tour.firstRequest(join(copy, 'README.md')));
      expectFirstRequest(await inJava('-cp', classPath, program));
    },
    toolchainTimeoutMs,
  );

  itInJava(
    'does all that it is for against the service',
    async () => {
      const program = ['-cp', classPath, 'examples/Tour.java'];
      expectWholeTour(await tour.run('java', program, { cwd: copy, env: process.env }));
    },
    toolchainTimeoutMs,
  );
});
