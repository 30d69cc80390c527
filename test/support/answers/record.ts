import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { testRun } from '../test-run.js';

const seen = new Set<string>();
const fileName = `${process.pid}-${randomBytes(6).toString('hex')}.jsonl`;

export interface SeenAnswer {
  operationId: string;
  status: number;
}

/** An error in the service's wording. */
export interface SeenError {
  code: string;
  message: string;
}

/** Records once per process that an operation answered with a status. */
export function recordAnswer(answer: SeenAnswer): void {
  record(answer);
}

/** Records the wording of an error, for the examples in docs/openapi.json. */
export function recordError({ code, message }: SeenError): void {
  record({ code, message });
}

function record(what: SeenAnswer | SeenError): void {
  const line = JSON.stringify(what);
  const folder = testRun.answersDir;
  const place = `${folder} ${line}`;
  if (seen.has(place)) return;
  seen.add(place);
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, fileName), `${line}\n`);
}
