import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { collectionsOutsideTheirStore } from '../../scripts/check-collections.js';
import { impurities, machineClockReads } from '../../scripts/check-pure-files.js';
import { expectFor } from '../support/expect-for.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A small repository that follows all rules. */
const sound: Record<string, string> = {
  'contract/rates.ts': "export const path = '/api/rates';\n",
  'contract/client/route.ts': 'export const route = {};\n',
  'contract/client/caller.ts': "import { route } from './route.js';\nexport const call = () => route;\n",
  'contract/index.ts':
    "import { z } from 'zod';\nimport { path } from './rates.js';\nexport { call } from './client/caller.js';\nexport const contract = z.literal(path);\n",
  'mcp/main.ts':
    "import { contract } from '../contract/index.js';\nimport { emit } from '../scripts/openapi/emit.js';\nemit(contract);\n",
  'scripts/openapi/emit.ts': 'export const emit = (contract: object) => contract;\n',
  'server/main.ts':
    "import { boot } from './boot.js';\nimport { compose } from './compose.js';\nboot(compose());\n",
  'server/boot.ts': 'export const boot = (service: object) => service;\n',
  'server/compose.ts': [
    "import { createAnchors } from './features/anchors/feature.js';",
    "import { anchorStore } from './features/anchors/store.js';",
    "import { createRates } from './features/rates/feature.js';",
    "import { emit } from './deliveries/deliveries.js';",
    "import { respond } from './http/respond.js';",
    'export const compose = () => [createRates(createAnchors(anchorStore())), emit, respond];',
  ].join('\n'),
  'server/http/respond.ts':
    "import { contract } from '../../contract/index.js';\nexport const respond = () => contract;\n",
  'server/mongo/models.ts': "import { Schema } from 'mongoose';\nexport const defineModel = () => Schema;\n",
  'server/mongo/transactions.ts': "export type { ClientSession } from 'mongoose';\n",
  'server/deliveries/outbox-store.ts':
    "import { defineModel } from '../mongo/models.js';\nexport const addEvent = () => defineModel();\n",
  'server/deliveries/deliveries.ts':
    "import { addEvent } from './outbox-store.js';\nexport const emit = () => addEvent();\n",
  'server/errors.ts': "import { path } from '../contract/rates.js';\nexport const wrong = path;\n",
  'server/crypto/merkle.ts':
    "import { createHash } from 'node:crypto';\nexport const hash = () => createHash('sha256');\n",
  'server/features/rates/feature.ts': [
    "import type { Anchors } from '../anchors/service.js';",
    "import { ratesRouter } from './router.js';",
    "import { createRatesService } from './service.js';",
    'export const createRates = (anchors: Anchors) => ratesRouter(createRatesService(anchors));',
  ].join('\n'),
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
    "import { quoteOf } from './quote.js';",
    "import { rateStore } from './rate-store.js';",
    'export const createRatesService = (anchors: Anchors) => [anchors, quoteOf, rateStore];',
    'export type Rates = ReturnType<typeof createRatesService>;',
  ].join('\n'),
  'server/features/rates/quote.ts': [
    "import type { ClientSession } from '../../mongo/transactions.js';",
    "import { rank } from './ranking.rules.js';",
    'export const quoteOf = (session: ClientSession) => [session, rank];',
  ].join('\n'),
  'server/features/rates/ranking.rules.ts':
    "import { hash } from '../../crypto/merkle.js';\nexport const rank = () => hash;\n",
  'server/features/rates/rate-store.ts':
    "import { Schema } from 'mongoose';\nexport const rateStore = () => Schema;\n",
  'server/features/anchors/feature.ts':
    "import { createDirectory } from './service.js';\nexport const createAnchors = createDirectory;\n",
  'server/features/anchors/service.ts':
    'export const createDirectory = (store: object) => store;\nexport type Anchors = ReturnType<typeof createDirectory>;\n',
  'server/features/anchors/store.ts':
    "import { defineModel } from '../../mongo/models.js';\nexport const anchorStore = () => defineModel();\n",
  'scripts/faults/plan.rules.ts': 'export const plan = (seed: number) => [seed];\n',
  'scripts/faults/cluster/start.ts':
    "import { plan } from '../plan.rules.js';\nexport const started = plan(1);\n",
  'scripts/faults/traffic/load.ts':
    "import type { plan } from '../plan.rules.js';\nexport type Load = typeof plan;\n",
  'scripts/emit.ts': "import { contract } from '../contract/index.js';\nexport const emitted = contract;\n",
  'web/src/main.tsx':
    "import { contract } from '@fairlead/contract';\nimport { render } from 'preact';\nimport { Page } from './page.js';\nrender(<Page contract={contract} />, document.body);\n",
  'web/src/page.tsx': 'export const Page = (props: object) => <p>{JSON.stringify(props)}</p>;\n',
  'test/support/app.ts': "import { compose } from '../../server/compose.js';\nexport const app = compose;\n",
  'test/anchors/expected.ts': "import { app } from '../support/app.js';\nexport const expected = app;\n",
  'test/rates/expected.ts': "import { app } from '../support/app.js';\nexport const expected = app;\n",
};

/** Lines added to files of that repository: the rule must then name the file, because of what the line imports. */
const violations: [rule: string, file: string, line: string][] = [
  ['contract-stands-alone', 'contract/rates.ts', "export * from '../server/errors.js';"],
  ['contract-runs-in-a-browser', 'contract/rates.ts', "export * from 'node:crypto';"],
  ['contract-own-packages', 'contract/rates.ts', "export * from 'mongoose';"],
  ['mcp-stands-on-the-contract', 'mcp/main.ts', "export * from '../server/errors.js';"],
  ['mcp-own-packages', 'mcp/main.ts', "export * from 'mongoose';"],
  ['only-tests-import-mcp-and-web', 'server/errors.ts', "export * from '../mcp/main.js';"],
  ['only-tests-import-mcp-and-web', 'scripts/emit.ts', "export * from '../web/src/page.js';"],
  ['web-stands-on-the-contract', 'web/src/page.tsx', "export * from '../../server/errors.js';"],
  ['web-stands-on-the-contract', 'web/src/page.tsx', "export * from '../../contract/rates.js';"],
  ['web-own-packages', 'web/src/page.tsx', "export * from 'zod';"],
  ['light-client-is-light', 'contract/client/caller.ts', "export * from 'zod';"],
  ['light-client-is-light', 'contract/client/caller.ts', "export * from '../rates.js';"],
  ['offramp-weighs-on-nobody-else', 'contract/rates.ts', "export * from '@stellar/stellar-base';"],
  ['pure-files-touch-nothing', 'server/crypto/merkle.ts', "export * from 'mongoose';"],
  ['pure-files-touch-nothing', 'server/features/rates/ranking.rules.ts', "export * from '../../boot.js';"],
  ['pure-files-are-called', 'server/features/rates/ranking.rules.ts', "export * from './rate-store.js';"],
  ['pure-files-are-called', 'server/features/rates/ranking.rules.ts', "export * from './quote.js';"],
  ['pure-files-use-no-machine', 'server/features/rates/ranking.rules.ts', "export * from 'node:fs';"],
  ['routers-know-no-storage', 'server/features/rates/router.ts', "export * from 'mongoose';"],
  ['routers-know-no-storage', 'server/features/rates/router.ts', "export type * from './rate-store.js';"],
  ['routers-are-handed-their-service', 'server/features/rates/router.ts', "export * from './service.js';"],
  ['routers-are-handed-their-service', 'server/features/rates/router.ts', "export * from './quote.js';"],
  ['only-the-edge-knows-http', 'server/features/rates/service.ts', "export * from '../../http/respond.js';"],
  ['only-the-edge-knows-http', 'server/features/rates/quote.ts', "export type * from 'express';"],
  ['only-the-edge-knows-http', 'server/features/anchors/store.ts', "export type * from 'express';"],
  ['only-the-edge-knows-http', 'server/deliveries/deliveries.ts', "export * from '../http/respond.js';"],
  ['only-stores-know-collections', 'server/features/rates/quote.ts', "export type * from 'mongoose';"],
  ['only-stores-know-collections', 'server/features/anchors/feature.ts', "export * from 'mongoose';"],
  ['only-stores-know-collections', 'server/deliveries/deliveries.ts', "export * from '../mongo/models.js';"],
  ['features-share-only-types', 'server/features/rates/quote.ts', "export * from '../anchors/service.js';"],
  ['features-share-only-types', 'server/features/rates/feature.ts', "export * from '../anchors/feature.js';"],
  [
    'features-share-only-types',
    'server/features/rates/service.ts',
    "export * from '../../deliveries/deliveries.js';",
  ],
  ['stores-stay-at-home', 'server/features/rates/quote.ts', "export type * from '../anchors/store.js';"],
  [
    'stores-stay-at-home',
    'server/features/rates/service.ts',
    "export type * from '../../deliveries/outbox-store.js';",
  ],
  ['compose-sees-factories-and-stores', 'server/compose.ts', "export * from './features/rates/service.js';"],
  ['compose-sees-factories-and-stores', 'server/boot.ts', "export * from './features/anchors/service.js';"],
  ['only-compose-sees-features', 'server/http/respond.ts', "export * from '../features/anchors/store.js';"],
  [
    'only-compose-sees-features',
    'server/deliveries/deliveries.ts',
    "export type * from '../features/rates/service.js';",
  ],
  ['only-compose-sees-features', 'server/errors.ts', "export type * from './features/rates/service.js';"],
  ['only-programs-compose', 'server/errors.ts', "export type * from './compose.js';"],
  ['server-imports-no-scripts', 'server/errors.ts', "export * from '../scripts/emit.js';"],
  ['plans-touch-nothing', 'scripts/faults/plan.rules.ts', "export * from 'node:timers';"],
  ['ledger-rules-touch-nothing', 'scripts/faults/compare/rates.rules.ts', "export * from 'node:fs';"],
  ['storm-parts-share-ports', 'scripts/faults/traffic/load.ts', "export * from '../cluster/start.js';"],
  ['nothing-imports-tests', 'scripts/emit.ts', "export * from '../test/support/app.js';"],
  ['tests-share-only-fixtures', 'test/rates/expected.ts', "export * from '../anchors/expected.js';"],
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
    for (const name of ['.dependency-cruiser.mjs', 'tsconfig.json', 'package.json', 'web/package.json']) {
      await cp(join(root, name), join(folder, name), { recursive: true });
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
        [program, ...options, 'contract', 'mcp', 'server', 'scripts', 'test', 'web'],
        { cwd: folder, maxBuffer: 2 ** 24 },
        // It exits with the number of findings: only its output shows whether it ran.
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

  it('find nothing in a house that keeps them', async () => {
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

/** All rule names, so that a rule without a violation here fails this test. */
async function ruleNames(): Promise<string[]> {
  const file: string = join(root, '.dependency-cruiser.mjs');
  const { default: configuration } = (await import(file)) as { default: { forbidden: { name: string }[] } };
  return configuration.forbidden.map(({ name }) => name);
}

/** `../server/errors.js` → `server/errors`, which is part of the resolved path. */
function importedName(line: string): string {
  return /'(?:node:|(?:\.{1,2}\/)*)(.+?)(?:\.js)?'/.exec(line)?.[1] ?? line;
}

describe('the check of pure files', () => {
  it.each([
    ['the clock', 'export const now = () => Date.now();', 'Date.now'],
    ['the clock by its constructor', 'export const now = () => new Date();', 'new Date() without an instant'],
    ['chance', 'export const roll = Math.random;', 'Math.random'],
    ['chance of node:crypto', "import { randomBytes as fill } from 'node:crypto';", 'randomBytes'],
    ['the environment', 'export const home = process.env.HOME;', 'process'],
    ['timers', 'setTimeout(() => undefined, 1);', 'setTimeout'],
    ['the wire', "export const get = () => fetch('https://example.org');", 'fetch'],
  ])('refuses a file that uses %s', (_name, source, what) => {
    expect(impurities('x.rules.ts', source)).toEqual([`x.rules.ts:1 uses ${what}`]);
  });

  it('accepts a file that only computes', () => {
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

describe('the check of clocks', () => {
  it('refuses a file of the server that reads the clock of its machine', () => {
    const source = [
      'export const now = Date.now;',
      'export const today = () => new Date();',
      'export const later = (nowMs: number) => new Date(nowMs + performance.now());',
    ].join('\n');
    expect(machineClockReads('x.ts', source)).toEqual([
      'x.ts:1 uses Date.now',
      'x.ts:2 uses new Date() without an instant',
    ]);
  });
});

describe('the check of collections', () => {
  const store = {
    name: 'server/features/intents/store.ts',
    source: "const schema = new Schema({}, { collection: 'intents' });",
  };
  const inService = (source: string) => ({ name: 'server/features/intents/service.ts', source });
  const inOtherStore = (source: string) => ({ name: 'server/features/reputation/card-store.ts', source });

  it.each([
    [
      'another store that opens the collection by its name',
      inOtherStore("connection.collection('intents');"),
      'names intents, the collection of server/features/intents/store.ts',
    ],
    [
      'another store that opens it by a helper',
      inOtherStore("bulkCollection(connection, 'intents');"),
      'names intents, the collection of server/features/intents/store.ts',
    ],
    [
      'another store that joins it in a pipeline',
      inOtherStore("aggregate([{ $lookup: { from: 'intents' } }]);"),
      'names intents, the collection of server/features/intents/store.ts',
    ],
    [
      'a service that opens it, also beside the store',
      inService("connection.collection('intents');"),
      'opens intents outside a store',
    ],
    [
      'a service that defines a collection',
      inService("new Schema({}, { collection: 'notes' });"),
      'defines notes outside a store',
    ],
  ])('refuses %s', (_name, file, what) => {
    expect(collectionsOutsideTheirStore([store, file])).toEqual([`${file.name}:1 ${what}`]);
  });

  it('accepts the same word where it names no collection', () => {
    const file = inOtherStore("drop('intents'); const scopes = { scope: 'intents' };");
    expect(collectionsOutsideTheirStore([store, file])).toEqual([]);
  });

  it('accepts the stores of one folder that use the collections of each other', () => {
    const beside = {
      name: 'server/features/intents/aggregation-store.ts',
      source: "connection.collection('intents');",
    };
    expect(collectionsOutsideTheirStore([store, beside])).toEqual([]);
  });
});
