import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import openapiTS, { astToString } from 'openapi-typescript';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { intentHash } from '../../../contract/verification/intent-hash.js';
import { startTestApp, type TestApp, testAdminKey } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { runProgram } from '../../support/run-program.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const program = readFileSync(new URL('program.ts.txt', import.meta.url), 'utf8');
const database = testDatabase();
const folder = mkdtempSync(join(tmpdir(), 'fairlead-openapi-'));
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
  const document = new URL('../../../docs/openapi.json', import.meta.url);
  writeFileSync(join(folder, 'schema.ts'), astToString(await openapiTS(document)));
  writeFileSync(join(folder, 'program.ts'), program);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.close();
});

/** Emits the program and returns the output of tsc, which is empty on success. */
async function compile(): Promise<string> {
  const compilerOptions = {
    module: 'NodeNext',
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: ['node'],
    outDir: 'out',
    rootDir: '.',
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return (await runProgram(process.execPath, [compiler, '-p', '.'], { cwd: folder })).stdout;
}

describe('a client generated from docs/openapi.json by openapi-typescript', () => {
  it('type-checks strictly and works against the service: answers, errors, pages and keys', async () => {
    expect(await compile()).toBe('');
    const nonce = randomBytes(16).toString('hex');
    const args = [join(folder, 'out/program.js'), app.url, testAdminKey, nonce];
    const { stdout, stderr } = await runProgram(process.execPath, args, { cwd: folder });
    expect(stderr).toBe('');
    const seen = JSON.parse(stdout);
    expect(seen.statuses).toEqual({
      rates: 200,
      misspelt: 400,
      unknown: 404,
      created: 201,
      again: 200,
      read: 200,
      refused: 400,
      unserved: 422,
      anchors: 200,
      rest: 200,
      shut: 401,
      open: 200,
      dropped: 200,
      bare: 200,
    });
    expect(seen.codes).toEqual([
      'INVALID_REQUEST',
      'UNKNOWN_CORRIDOR',
      'INVALID_REQUEST',
      'UNSUPPORTED_PAIR',
      'UNAUTHORIZED',
    ]);
    expect(seen).toMatchObject({
      firstDetail: 'body.sellAmount',
      status: 'pending',
      disputes: [],
      limit: String(rateLimitClasses.rates.points),
    });
    expect(seen.receive).toMatch(/^\d+(\.\d+)?$/);
    expect(seen.anchors[0]).not.toBe(seen.anchors[1]);
    expect(seen.intentHash).toBe(
      intentHash({
        corridor: 'usdc-ngn',
        anchorId: 'harbour',
        account: 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L',
        sellAmount: '100.5',
        nonce,
      }),
    );
  });
});
