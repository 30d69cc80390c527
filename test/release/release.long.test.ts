import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Ended, runProgram } from '../support/run-program.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { workspaces, version: before } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Runs npm without the settings of the npm that runs these tests. */
function npm(folder: string, ...args: string[]): Promise<Ended> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  return runProgram('npm', args, { cwd: folder, env });
}

/** A copy of the repository, with its own Git history, in which versions may be changed. */
function copyRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-release-'));
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const files = git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  for (const file of files.filter((name) => name !== '')) {
    cpSync(join(root, file), join(folder, file), { recursive: true, force: true });
  }
  // The entries are linked one by one, because npm writes a file of its own into the folder.
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')).filter((one) => one !== '.package-lock.json')) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  git(folder, 'add', '--all');
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@fairlead.example'];
  git(folder, ...author, 'commit', '--quiet', '--message', 'Everything');
  return folder;
}

describe('the version of a release', () => {
  let folder: string;
  beforeAll(() => {
    folder = copyRepository();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const json = (path: string) => JSON.parse(read(path));

  it('is the same in service, packages, lockfile and document, as large as the largest change, and told in the changelog of the package', async () => {
    const sentence = 'Answers are typed by what they say.';
    writeFileSync(
      join(folder, '.changeset/some-change.md'),
      `---\n"@fairlead/contract": major\n---\n\n${sentence}\n`,
    );
    const { status, stdout, stderr } = await npm(folder, 'run', 'release:version');
    expect(`${status} ${status === 0 ? '' : stdout + stderr}`).toBe('0 ');

    // A prerelease of a major version (3.0.0-alpha.0) becomes that version, and no higher one.
    const [underWay, prerelease] = before.split('-');
    const next = prerelease === undefined ? `${Number(before.split('.')[0]) + 1}.0.0` : underWay;
    const lock = json('package-lock.json');
    expect(json('package.json').version).toBe(next);
    expect(lock.version).toBe(next);
    expect(json('docs/openapi.json').info.version).toBe(next);
    for (const workspace of workspaces) {
      expect(json(`${workspace}/package.json`).version).toBe(next);
      expect(lock.packages[workspace].version).toBe(next);
    }
    expect(read('contract/CHANGELOG.md')).toMatch(new RegExp(`## ${next}\\n[^]*${sentence}`));
    expect(read('package-lock.json')).not.toMatch(/"resolved": "http/);
  });

  it('is refused by the release while the changelog of the service says nothing of it', async () => {
    const tag = `v${json('package.json').version}`;
    const silent = await npm(folder, 'run', '--silent', 'release:notes', '--', tag);
    expect(silent).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('says nothing of'),
    });

    const notes = 'What is new.';
    writeFileSync(
      join(folder, 'CHANGELOG.md'),
      `# Changelog\n\n## ${tag.slice(1)} (2027-01-01)\n\n${notes}\n`,
    );
    const told = await npm(folder, 'run', '--silent', 'release:notes', '--', tag);
    expect(told).toMatchObject({ status: 0, stdout: `${notes}\n` });

    const other = await npm(folder, 'run', '--silent', 'release:notes', '--', 'v0.1.0');
    expect(other).toMatchObject({ status: 1, stderr: expect.stringContaining('and the tag is v0.1.0') });
  });
});

interface Bill {
  bomFormat: string;
  metadata: { component: { name: string; version: string } };
  components: { name: string; version: string; hashes?: object[] }[];
}

describe('the bill of materials', () => {
  it.each([
    ['the service', [], ['express', 'mongoose', 'zod', '@noble/ed25519', 'preact', 'uplot']],
    ['the contract package', ['@fairlead/contract'], ['zod', '@noble/ed25519', 'canonicalize']],
  ])('of %s lists what runs, with versions, and nothing of development', async (_what, args, expected) => {
    const { status, stdout } = await npm(root, 'run', '--silent', 'sbom', '--', ...args);
    expect(status).toBe(0);
    const bill: Bill = JSON.parse(stdout);
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { version: before } } });
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(expected));
    expect(
      names.filter((name) => /^(jest|typescript|esbuild|rolldown|vite|@biomejs\/biome)$/.test(name)),
    ).toEqual([]);
    expect(bill.components.every(({ version }) => /^\d+\.\d+/.test(version))).toBe(true);
  });

  it('of fairlead-mcp lists what is in its one file: the packages whose licences are beside it', async () => {
    const folder = copyRepository();
    const built = await npm(folder, 'run', 'build', '--workspace', 'fairlead-mcp');
    const { stdout } = await npm(folder, 'run', '--silent', 'sbom', '--', 'fairlead-mcp');
    const licences = readFileSync(join(folder, 'mcp/dist/LICENSES.txt'), 'utf8');
    rmSync(folder, { recursive: true, force: true });
    expect(built.status).toBe(0);

    const bill: Bill = JSON.parse(stdout);
    expect(bill.metadata.component).toMatchObject({ name: 'fairlead-mcp', version: before });
    const licensed = licences.split(`\n${'-'.repeat(80)}\n\n`).map((text) => text.split('\n')[0]);
    expect(licensed).toContain(`zod ${bill.components.find(({ name }) => name === 'zod')?.version}`);
    expect(bill.components.map(({ name, version }) => `${name} ${version}`).sort()).toEqual(licensed.sort());
  });
});
