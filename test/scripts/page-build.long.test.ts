import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buildPageIfStale } from '../../scripts/lib/page-build.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
let clone: string;
let said: string[] = [];

beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'fairlead-page-build-'));
  const left = ['node_modules', 'dist'];
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'contract', 'mcp', 'web']) {
    cpSync(join(root, name), join(clone, name), {
      recursive: true,
      filter: (path) => !left.includes(basename(relative(root, path))),
    });
  }
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

const index = () => readFileSync(join(clone, 'web/dist/index.html'), 'utf8');
function edit(path: string, change: (text: string) => string): void {
  const file = join(clone, path);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
async function build(): Promise<string[]> {
  said = [];
  await buildPageIfStale((line) => void said.push(line), clone);
  return said;
}

it('builds a page that is missing, once where two ask at the same time', async () => {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  await Promise.all([buildPageIfStale(say, clone), buildPageIfStale(say, clone)]);
  expect(lines).toEqual(['Building the web page, which is not built yet …']);
  const scripts = [...index().matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(scripts.length).toBeGreaterThan(0);
  for (const path of scripts) expect(existsSync(join(clone, 'web/dist', path))).toBe(true);
});

it('leaves a page alone that is as new as its sources', async () => {
  const before = index();
  expect(await build()).toEqual([]);
  expect(index()).toBe(before);
});

it.each([
  ['its own files', 'web/index.html'],
  ['the contract', 'contract/index.ts'],
  ['its packages', 'package-lock.json'],
])('builds it again after a change of %s', async (_what, path) => {
  edit(path, (text) => `${text}\n`);
  expect(await build()).toEqual(['Building the web page, whose sources have changed …']);
});

it('builds it again where a build was broken off', async () => {
  rmSync(join(clone, 'web/dist/.complete'));
  expect(await build()).toEqual(['Building the web page, which is not built yet …']);
  expect(await build()).toEqual([]);
});

it('asks its own service, whatever a build for another host was given', async () => {
  process.env.FAIRLEAD_SERVICE_URL = 'https://rates.example';
  try {
    edit('web/index.html', (text) => `${text}\n`);
    await build();
  } finally {
    delete process.env.FAIRLEAD_SERVICE_URL;
  }
  expect(index()).not.toContain('rates.example');
});

it('says what is wrong with the sources where they cannot be built, and builds them once they can', async () => {
  edit('web/src/main.tsx', (text) => `${text}import './no-such-file.js';\n`);
  await expect(build()).rejects.toThrow(/^The web page cannot be built:\n[\s\S]*no-such-file/);
  edit('web/src/main.tsx', (text) => text.replace("import './no-such-file.js';\n", ''));
  expect(await build()).toHaveLength(1);
  expect(existsSync(join(clone, 'web/dist/index.html'))).toBe(true);
});
