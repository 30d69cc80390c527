import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect } from '@jest/globals';
import { testDatabase } from '../support/database.js';
import { pythonTools } from '../support/installed-tools.js';
import { runsHere } from '../support/it-where.js';
import { runProgram } from '../support/run-program.js';
import { itWithToolchain } from '../support/toolchains.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const { uri } = testDatabase();
const python = await pythonTools('deploy-tools', new URL('requirements.txt', import.meta.url));
const itBuilt = itWithToolchain(
  python !== undefined && runsHere('npm', 'view', 'npm', 'version'),
  'no python3 or no PyPI, or no npm registry: the build of the image',
);
const folder = mkdtempSync(join(tmpdir(), 'fairlead-image-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Instruction {
  instruction: string;
  value: string;
}

/** The instructions of each stage; the first stage builds and the last one is the image. */
async function stages(): Promise<Instruction[][]> {
  const script =
    'import json, sys, dockerfile_parse as d; print(json.dumps(d.DockerfileParser(sys.argv[1]).structure))';
  const parsed = await runProgram(join(python ?? '', 'bin/python'), [
    '-c',
    script,
    join(project, 'Dockerfile'),
  ]);
  expect([parsed.status, parsed.stderr]).toEqual([0, '']);
  const found: Instruction[][] = [];
  for (const one of JSON.parse(parsed.stdout) as Instruction[]) {
    if (one.instruction === 'FROM') found.push([]);
    else found.at(-1)?.push(one);
  }
  return found;
}

/** Copies `FROM… TO` from one folder, or from another stage's folder, into the folder that represents this stage. */
function copy(value: string, from: string, to: string): void {
  const paths = value.split(/\s+/).filter((word) => !word.startsWith('--'));
  const target = paths.pop() ?? '';
  for (const path of paths) {
    const source = join(from, path.replace(/^\/app\//, ''));
    const into = target.endsWith('/') ? join(to, target, source.split('/').at(-1) ?? '') : join(to, target);
    cpSync(source, into, {
      recursive: true,
      verbatimSymlinks: true,
      // The copy leaves out what .dockerignore lists.
      filter: (file) =>
        from !== project || !/\/(node_modules|dist)(\/|$)/.test(file.slice(project.length - 1)),
    });
  }
}

/** Every file and folder below a folder, with the time of its last change. */
function filesOf(below: string): Map<string, number> {
  const names = readdirSync(below, { recursive: true, encoding: 'utf8' });
  return new Map(names.map((name) => [name, lstatSync(join(below, name)).mtimeMs]));
}

describe('the Dockerfile', () => {
  itBuilt(
    'makes, by its own commands and from what it copies, an image whose migration runs without writing a file',
    async () => {
      const [building = [], image = []] = await stages();
      const [built, made] = ['build', 'image'].map((name) => join(folder, name)) as [string, string];
      for (const one of [built, made]) mkdirSync(one);
      const { PATH, HOME } = process.env;
      for (const { instruction, value } of building) {
        if (instruction === 'COPY') copy(value, project, built);
        if (instruction !== 'RUN') continue;
        const ended = await runProgram('sh', ['-c', value], {
          cwd: built,
          env: { PATH, HOME, npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' },
          timeoutMs: 8 * 60_000,
        });
        expect([value, ended.status, ended.status === 0 ? '' : ended.stderr]).toEqual([value, 0, '']);
      }
      for (const { instruction, value } of image)
        if (instruction === 'COPY') copy(value, value.startsWith('--from=') ? built : project, made);
      const before = filesOf(made);
      const migrated = await runProgram(process.execPath, ['dist/server/cli.js', 'migrate'], {
        cwd: made,
        env: {
          PATH,
          MONGODB_URI: uri,
          FLEET_FILE: 'fleets/mainnet.example.json',
          WEBHOOK_KEY: 'ab'.repeat(32),
        },
      });
      expect(migrated).toMatchObject({ status: 0, stderr: '' });
      expect(JSON.parse(migrated.stdout)).toMatchObject({ prepared: true });
      // The root file system is read-only where the image runs.
      expect(filesOf(made)).toEqual(before);
    },
    12 * 60_000,
  );
});
