import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reportsOf } from '../../scripts/api-report/reports.js';
import { testRun } from '../support/test-run.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const name = 'index.api.md';
const committed = readFileSync(join(root, 'contract/api', name), 'utf8');
let folder: string;

/** Changes a source in a copy of the package. */
function change(file: string, from: string, to: string): void {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

function linesOnlyIn(text: string, other: string): string[] {
  const known = new Set(other.split('\n'));
  return text.split('\n').filter((line) => !known.has(line));
}

beforeAll(() => {
  folder = join(testRun.runDir, 'api-report/contract');
  cpSync(join(root, 'contract'), folder, {
    recursive: true,
    filter: (path) => !/\/(dist|node_modules)$/.test(path),
  });
  cpSync(join(root, 'tsconfig.json'), join(folder, '../tsconfig.json'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the report of the public types', () => {
  it('shows a new field of an answer, a new name and a name that is gone, in the lines that are about them', () => {
    const schema = 'export const ratesAnswer = z\n  .object({\n';
    change('schemas/rates.ts', schema, `${schema}    novelty: z.number(),\n`);
    const toVerify = 'export interface BatchToVerify {';
    change('verification/verify-batch.ts', toVerify, `export const novelName = 1;\n\n${toVerify}`);
    change('verification/nonce.ts', 'export function newNonce', 'function newNonce');
    const report = reportsOf(folder).get(name) ?? '';
    const added = linesOnlyIn(report, committed).map((line) => line.trim());
    expect(added).toEqual(['export const novelName = 1;', 'novelty: number;']);
    expect(linesOnlyIn(committed, report)).toEqual([
      'export function newNonce(random?: (length: number) => Uint8Array): string;',
    ]);
  });
});
