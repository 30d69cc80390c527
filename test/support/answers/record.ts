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

/** An error in the words of the service. */
export interface SeenError {
  code: string;
  message: string;
}

/** Notes that an operation answered with a status, once for each process. */
export function recordAnswer(answer: SeenAnswer): void {
  record(answer);
}

/** Notes the words of an error, for the examples on the pages of docs/errors/. */
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
