import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from '@jest/globals';
import { runsHere } from '../support/it-where.js';
import {
  canDownload,
  clientFolder,
  goEnvironment,
  itWithToolchain,
  runTool,
  toolchainCache,
  toolchainTimeoutMs,
} from '../support/toolchains.js';
import { expectWholeOffRamp, offRampWorld } from './off-ramp.js';

/* Each client is built in a copy of the repository, tries the vectors, and sells through a simulated anchor. */
const world = await offRampWorld();
const folder = mkdtempSync(join(tmpdir(), 'fairlead-clients-'));
const env: NodeJS.ProcessEnv = {
  ...process.env,
  PIP_CACHE_DIR: toolchainCache('pip'),
  PYTHONDONTWRITEBYTECODE: '1',
  ...goEnvironment(),
};
for (const path of ['docs/openapi.client.json', 'contract/vectors', 'test/vectors'])
  cpSync(join(clientFolder('go'), '../..', path), join(folder, path), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Run = (command: string, ...args: string[]) => Promise<string>;
interface Language {
  name: 'python' | 'go' | 'java';
  /** Commands that succeed where the toolchain is there. */
  needs: [string, ...string[]][];
  /** Downloads and builds; runs no test of the client. */
  build(run: Run, copy: string): Promise<unknown>;
  /** The client's own tests; throws where one fails. */
  test(run: Run): Promise<unknown>;
  /** Runs the first request of its README.md. */
  first(run: Run, program: string, copy: string): Promise<string>;
  offRamp(run: Run): Promise<string>;
}

const python = join(folder, 'venv/bin/python');
const repository = `-Dmaven.repo.local=${toolchainCache('maven')}`;
const maven = ['-B', '-ntp', '-Pexamples', '-Dstyle.color=never', repository];
const classPath = 'target/classes:target/lib/*';

const languages: Language[] = [
  {
    name: 'python',
    needs: [['python3', '-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))']],
    async build(run) {
      await run('python3', '-m', 'venv', join(folder, 'venv'));
      const wheels = join(folder, 'wheels');
      const quiet = ['install', '--quiet', '-c', 'constraints.txt'];
      await run(python, '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', wheels, '.');
      await run(python, '-m', 'pip', ...quiet, '--find-links', wheels, 'fairlead', 'stellar-sdk');
      // Ensures that the imports below find the installed wheel.
      await run('rm', '-r', 'src');
    },
    test: (run) => run(python, '-W', 'error', '-m', 'unittest', 'discover', 'tests'),
    first(run, program, copy) {
      writeFileSync(join(copy, 'first.py'), program);
      return run(python, 'first.py');
    },
    offRamp: (run) => run(python, 'examples/offramp.py'),
  },
  {
    name: 'go',
    needs: [['go', 'version']],
    async build(run, copy) {
      writeFileSync(join(copy, 'rest.gen.go'), 'package fairlead\n');
      const [generator = ''] = /\S+\/cmd\/\S+@\S+/.exec(readFileSync(join(copy, 'client.go'), 'utf8')) ?? [];
      await run('go', 'mod', 'download');
      await run('env', `GOBIN=${join(folder, 'bin')}`, 'go', 'install', generator);
      await run('go', 'generate', './...');
      await run('go', '-C', 'examples/offramp', 'build', '-o', join(folder, 'off-ramp'), '.');
    },
    async test(run) {
      await run('go', 'vet', './...');
      expect(await run('go', 'test', '-count=1', './...')).toMatch(/^ok\s/m);
    },
    first(run, program, copy) {
      mkdirSync(join(copy, 'examples/first'));
      writeFileSync(join(copy, 'examples/first/main.go'), program);
      return run('go', 'run', './examples/first');
    },
    offRamp: (run) => run(join(folder, 'off-ramp')),
  },
  {
    name: 'java',
    needs: [
      ['mvn', '--version'],
      ['java', '--source', '17', '--version'],
    ],
    build: (run) => run('mvn', ...maven, 'package', '-DskipTests'),
    test: (run) => run('mvn', ...maven, 'surefire:test'),
    first(run, program, copy) {
      writeFileSync(join(copy, 'First.java'), program);
      return run('java', '-cp', classPath, 'First.java');
    },
    offRamp: (run) => run('java', '-cp', classPath, 'examples/OffRamp.java'),
  },
];

for (const { name, needs, build, test, first, offRamp } of languages) {
  const copy = join(folder, 'clients', name);
  const run: Run = (command, ...args) =>
    runTool(command, args, { cwd: copy, env: { ...env, ...(isRunning ? world.env() : {}) } });
  let isRunning = false;
  const filter = (path: string) => !/\/(target|src\/fairlead\/rest)$/.test(path);
  cpSync(clientFolder(name), copy, { recursive: true, filter });
  const isHere =
    needs.every(([command, ...args]) => runsHere(command, ...args)) &&
    (await canDownload(() => build(run, copy)));
  const itHere = itWithToolchain(isHere, `no toolchain or no registry of packages: the client in ${name}`);

  describe(`the client in ${name}`, () => {
    itHere('signs and verifies what the vectors hold and nothing else', () => test(run), toolchainTimeoutMs);

    itHere(
      'makes the first request of its README.md',
      async () => {
        isRunning = true;
        const program = world.firstRequest(join(copy, 'README.md'));
        expect(await first(run, program, copy)).toMatch(/^Harbour.* pays \d+\.\d\d$/m);
      },
      toolchainTimeoutMs,
    );

    itHere(
      'sells from the intent to the payout, and disputes it',
      async () => {
        isRunning = true;
        expectWholeOffRamp(await offRamp(run));
      },
      toolchainTimeoutMs,
    );
  });
}
