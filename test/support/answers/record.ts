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

/** Notes that an operation answered with a status, once for each test file. */
export function recordAnswer(answer: SeenAnswer): void {
  record(answer);
}

/** Notes the words of an error, for the examples on the pages of docs/errors/. */
export function recordError({ code, message }: SeenError): void {
  record({ code, message });
}

function record(what: SeenAnswer | SeenError): void {
  const line = JSON.stringify(what);
  if (seen.has(line)) return;
  seen.add(line);
  const folder = process.env.FAIRLEAD_ANSWERS_DIR ?? testRun.answersDir;
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, fileName), `${line}\n`);
}
