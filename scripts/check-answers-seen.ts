/**
 * Run after the tests: fails for every (operation, status) pair that docs/openapi.json lists and no test has seen. Reads
 * what test/support/answers recorded in the folder given as argument.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedErrorCodes } from '../contract/describe-route.js';
import { contract } from '../contract/index.js';
import type { OpenApiDocument } from './openapi/document.js';
import { codesByStatus, type Operation, operationsOf } from './openapi/operations.js';

/** The group of operations that share this status; undefined if the operation has its own codes there. */
function sharedGroup({ route, metadata }: Operation, status: number): string | undefined {
  if (status === 304) return '304';
  const codes = codesByStatus(metadata.errors).get(status)?.join(' ');
  const kind = sharedErrorCodes(route.method, metadata.access);
  if (codes === undefined || codesByStatus(kind).get(status)?.join(' ') !== codes) return undefined;
  return `${status} ${codes}${status === 401 ? ` (${metadata.access})` : ''}`;
}

const folder = process.argv[2] ?? '';
const document: OpenApiDocument = JSON.parse(
  readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'),
);
/** `{operationId, status}` of each answer. */
const lines = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
  .filter((line) => line !== '')
  .map((line): Record<string, string> => JSON.parse(line));
const seen = new Set(lines.map(({ operationId, status }) => `${operationId} ${status}`));

/** Whether each was seen. A status that one piece of code answers for all operations of a kind needs to be seen only once. */
const wanted = new Map<string, boolean>();
let pairs = 0;
for (const operation of operationsOf(contract)) {
  const { responses = {} } = document.paths[operation.path]?.[operation.route.method.toLowerCase()] ?? {};
  for (const status of Object.keys(responses).filter((one) => one !== 'default')) {
    pairs += 1;
    const pair = `${operation.metadata.operationId} ${status}`;
    const group = sharedGroup(operation, Number(status));
    const name = group === undefined ? pair : `any operation: ${group}`;
    wanted.set(name, wanted.get(name) === true || seen.has(pair));
  }
}
const unseen = [...wanted].flatMap(([name, wasSeen]) => (wasSeen ? [] : [`  ${name}`]));
if (unseen.length > 0 || pairs === 0) {
  console.error(`documented answers that no test of ${folder} has seen:\n${unseen.join('\n')}`);
  process.exitCode = 1;
} else console.log(`every documented answer was seen (${pairs} pairs of operation and status)`);
