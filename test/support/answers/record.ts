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

/** Records once per process that an operation answered with a status. */
export function recordAnswer(answer: SeenAnswer): void {
  const line = JSON.stringify(answer);
  const folder = testRun.answersDir;
  const place = `${folder} ${line}`;
  if (seen.has(place)) return;
  seen.add(place);
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, fileName), `${line}\n`);
}
