import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contract } from '../contract/index.js';
import type { OpenApiDocument } from './openapi/document.js';
import { operationsOf } from './openapi/operations.js';
import { type SeenAnswer, type SeenError, unseenAnswers, unseenExamples } from './openapi/seen-answers.js';

/**
 * Run after the tests: fails for every (operation, status) pair that docs/openapi.json lists and no test has seen, and for
 * every example of an error that the service does not answer in these words.
 * Reads what test/support/answers recorded in the folder given as argument or in FAIRLEAD_ANSWERS_DIR, else in that
 * of the latest run.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = process.argv[2] ?? process.env.FAIRLEAD_ANSWERS_DIR ?? latestRun();
const document: OpenApiDocument = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'));

function latestRun(): string {
  const runs = join(root, 'artifacts/test-runs');
  const latest = readdirSync(runs).sort().at(-1);
  if (latest === undefined) throw new Error(`no test run is recorded in ${runs}`);
  return join(runs, latest, 'answers');
}

function readSeen(): (SeenAnswer | SeenError)[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SeenAnswer | SeenError);
}

const listed = operationsOf(contract).map((operation) => {
  const { responses = {} } = document.paths[operation.path]?.[operation.route.method.toLowerCase()] ?? {};
  const statuses = Object.keys(responses).filter((status) => status !== 'default');
  return { operation, statuses: statuses.map(Number) };
});
const seen = readSeen();
const unseen = [
  ...unseenAnswers(
    listed,
    seen.filter((one) => 'operationId' in one),
  ),
  ...unseenExamples(seen.filter((one) => 'code' in one)),
];
const pairs = listed.reduce((sum, { statuses }) => sum + statuses.length, 0);
if (unseen.length > 0 || pairs === 0) {
  console.error(
    `documented answers that no test of ${folder} has seen:\n${unseen.map((line) => `  ${line}`).join('\n')}`,
  );
  process.exitCode = 1;
} else {
  console.log(`every documented answer was seen (${pairs} pairs of operation and status)`);
}
