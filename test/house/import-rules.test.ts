import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { impurities } from '../../scripts/check-pure-files.js';
import { expectFor } from '../support/expect-for.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A small house in which everything is as it should be. */
const sound: Record<string, string> = {
  'contract/rates.ts': "export const path = '/api/rates';\n",
  'contract/index.ts':
    "import { z } from 'zod';\nimport { path } from './rates.js';\nexport const contract = z.literal(path);\n",
  'server/main.ts': "import { compose } from './compose.js';\ncompose();\n",
  'server/compose.ts': [
    "import { createRates } from './features/rates/service.js';",
    "import { ratesRouter } from './features/rates/router.js';",
    "import { createAnchors } from './features/anchors/service.js';",
    "import { respond } from './http/respond.js';",
    'export const compose = () => [ratesRouter(createRates(createAnchors())), respond];',
  ].join('\n'),
  'server/http/respond.ts':
    "import { contract } from '../../contract/index.js';\nexport const respond = () => contract;\n",
  'server/errors.ts': "import { path } from '../contract/rates.js';\nexport const wrong = path;\n",
  'server/crypto/merkle.ts':
    "import { createHash } from 'node:crypto';\nexport const hash = () => createHash('sha256');\n",
  'server/features/rates/router.ts': [
    "import type { Request } from 'express';",
    "import { contract } from '../../../contract/index.js';",
    "import { wrong } from '../../errors.js';",
    "import { respond } from '../../http/respond.js';",
    "import type { Rates } from './service.js';",
    'export const ratesRouter = (rates: Rates) => (request: Request) => [contract, wrong, respond, rates, request];',
  ].join('\n'),
  'server/features/rates/service.ts': [
    "import type { Anchors } from '../anchors/service.js';",
    "import { rank } from './ranking.rules.js';",
    "import { rateModel } from './store.js';",
    'export const createRates = (anchors: Anchors) => [anchors, rank, rateModel];',
    'export type Rates = ReturnType<typeof createRates>;',
  ].join('\n'),
  'server/features/rates/ranking.rules.ts':
    "import { hash } from '../../crypto/merkle.js';\nexport const rank = () => hash;\n",
  'server/features/rates/store.ts': "import { Schema } from 'mongoose';\nexport const rateModel = Schema;\n",
  'server/features/anchors/service.ts':
    "import { anchorModel } from './store.js';\nexport const createAnchors = () => anchorModel;\nexport type Anchors = ReturnType<typeof createAnchors>;\n",
  'server/features/anchors/store.ts':
    "import { Schema } from 'mongoose';\nexport const anchorModel = Schema;\n",
  'scripts/emit.ts': "import { contract } from '../contract/index.js';\nexport const emitted = contract;\n",
  'test/support/app.ts': "import { compose } from '../../server/compose.js';\nexport const app = compose;\n",
};

/** Lines added to files of the sound house: each file must then be named by the rule, for what the line imports. */
const violations: [rule: string, file: string, line: string][] = [
  ['contract-stands-alone', 'contract/rates.ts', "export * from '../server/errors.js';"],
  ['contract-runs-in-a-browser', 'contract/rates.ts', "export * from 'node:crypto';"],
  ['contract-own-packages', 'contract/rates.ts', "export * from 'mongoose';"],
  ['pure-files-touch-nothing', 'server/crypto/merkle.ts', "export * from 'mongoose';"],
  ['pure-files-are-called', 'server/features/rates/ranking.rules.ts', "export * from './store.js';"],
  ['pure-files-use-no-machine', 'server/features/rates/ranking.rules.ts', "export * from 'node:fs';"],
  ['routers-know-no-storage', 'server/features/rates/router.ts', "export * from 'mongoose';"],
  ['routers-know-no-storage', 'server/features/rates/router.ts', "export type * from './store.js';"],
  ['routers-are-handed-their-service', 'server/features/rates/router.ts', "export * from './service.js';"],
  ['services-know-no-http', 'server/features/rates/service.ts', "export * from '../../http/respond.js';"],
  ['features-share-only-types', 'server/features/rates/service.ts', "export * from '../anchors/service.js';"],
  ['stores-stay-at-home', 'server/features/rates/service.ts', "export type * from '../anchors/store.js';"],
  ['only-compose-sees-features', 'server/http/respond.ts', "export * from '../features/rates/store.js';"],
  ['only-main-composes', 'server/errors.ts', "export type * from './compose.js';"],
  ['server-imports-no-scripts', 'server/errors.ts', "export * from '../scripts/emit.js';"],
  ['nothing-imports-tests', 'scripts/emit.ts', "export * from '../test/support/app.js';"],
  ['no-development-packages-in-production', 'server/errors.ts', "export * from 'fast-check';"],
  ['declared-packages-only', 'server/errors.ts', "export * from 'bson';"],
  ['resolvable', 'server/errors.ts', "export * from './no-such-file.js';"],
];

interface Violation {
  rule: { name: string };
  from: string;
  to: string;
  unresolvedTo?: string;
}

interface Finding {
  rule: string;
  from: string;
  to: string;
}

describe('import rules', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'import-rules-'));
    for (const name of ['.dependency-cruiser.mjs', 'tsconfig.json', 'package.json']) {
      await cp(join(root, name), join(folder, name));
    }
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const [name, text] of Object.entries(sound)) await write(name, text);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function write(name: string, text: string, flag = 'w'): Promise<void> {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text, { flag });
  }

  async function findings(): Promise<Finding[]> {
    const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const options = ['--config', '.dependency-cruiser.mjs', '--output-type', 'json'];
    const output = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        [program, ...options, 'contract', 'server', 'scripts', 'test'],
        { cwd: folder, maxBuffer: 2 ** 24 },
        // It ends with the number of findings as its code: only its output tells whether it ran.
        (_error, stdout) => resolve(stdout),
      );
    });
    const report = JSON.parse(output) as { summary: { violations: Violation[] } };
    return report.summary.violations.map(({ rule, from, unresolvedTo, to }) => ({
      rule: rule.name,
      from,
      to: unresolvedTo ?? to,
    }));
  }

  it('let pass what is as it should be', async () => {
    expect(await findings()).toEqual([]);
  });

  it('find every violation, each by its own rule', async () => {
    for (const [, file, line] of violations) await write(file, `\n${line}\n`, 'a');
    await write('server/left-over.ts', "export { wrong } from './errors.js';\n");
    await write('contract/left-over.ts', 'export const alone = 1;\n');
    await write('scripts/one.ts', "export * from './two.js';\n");
    await write('scripts/two.ts', "export type * from './one.js';\n");
    const found = await findings();
    for (const [rule, file, line] of violations) {
      expectFor(`${rule}: ${file}: ${line}`, found).toContainEqual(
        expect.objectContaining({ rule, from: file, to: expect.stringContaining(importedName(line)) }),
      );
    }
    const rules = found.map(({ rule, from }) => `${rule} ${from}`);
    expect(rules).toContain('no-dead-server-files server/left-over.ts');
    expect(rules).toContain('no-orphans contract/left-over.ts');
    expect(found.filter(({ rule }) => rule === 'no-cycles').map(({ from }) => from)).toContain(
      'scripts/one.ts',
    );
    expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set(await ruleNames()));
  });
});

/** So that a rule without its violation here fails this test. */
async function ruleNames(): Promise<string[]> {
  const file: string = join(root, '.dependency-cruiser.mjs');
  const { default: configuration } = (await import(file)) as { default: { forbidden: { name: string }[] } };
  return configuration.forbidden.map(({ name }) => name);
}

/** `../server/errors.js` → `server/errors`, which is part of the path it resolves to. */
function importedName(line: string): string {
  return /'(?:node:|(?:\.{1,2}\/)*)(.+?)(?:\.js)?'/.exec(line)?.[1] ?? line;
}

describe('purity', () => {
  it.each([
    ['the clock', 'export const now = () => Date.now();', 'Date.now'],
    ['the clock by its constructor', 'export const now = () => new Date();', 'new Date() without an instant'],
    ['chance', 'export const roll = Math.random;', 'Math.random'],
    ['chance of node:crypto', "import { randomBytes as fill } from 'node:crypto';", 'randomBytes'],
    ['the environment', 'export const home = process.env.HOME;', 'process'],
    ['timers', 'setTimeout(() => undefined, 1);', 'setTimeout'],
    ['the wire', "export const get = () => fetch('https://example.org');", 'fetch'],
  ])('is refused to a file that uses %s', (_name, source, what) => {
    expect(impurities('x.rules.ts', source)).toEqual([`x.rules.ts:1 uses ${what}`]);
  });

  it('is granted to a file that only computes', () => {
    const source = [
      "import { createHash } from 'node:crypto';",
      '// Date.now() is mentioned, not used',
      'export const at = (instantMs: number) => new Date(instantMs).toISOString();',
      'export const options = { process: 1, fetch: at };',
      'export const read = (given: { process: number }) => given.process + createHash.length;',
    ].join('\n');
    expect(impurities('x.rules.ts', source)).toEqual([]);
  });
});
