import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchContext } from './bench.js';
import type { Target } from './measure.js';

/** An answer of the service, for a bare server to repeat. */
export interface RecordedAnswer {
  status: number;
  /** Without the headers that Node adds by itself. */
  headers: Record<string, string>;
  /** Base64. */
  body: string;
}

/** The file that a bare server reads: answers by path. */
export type RecordedAnswers = Record<string, RecordedAnswer>;

/** Sends one request and keeps the answer. Throws if it has another status. */
export async function record(
  url: string,
  { expect = 200, headers = {} }: { expect?: number; headers?: Record<string, string> } = {},
): Promise<RecordedAnswer> {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'identity', ...headers } });
  if (answer.status !== expect) throw new Error(`${url} answered ${answer.status}, not ${expect}`);
  const body = Buffer.from(await answer.arrayBuffer()).toString('base64');
  const kept = Object.fromEntries(answer.headers);
  for (const added of ['connection', 'date', 'keep-alive']) delete kept[added];
  return { status: expect, headers: kept, body };
}

/** Starts a program that reads recorded answers from a file, its first argument, and says on which port it listens. */
export async function startBare(
  context: BenchContext,
  program: string,
  answers: RecordedAnswers,
  args: readonly string[] = [],
): Promise<Target> {
  files += 1;
  const file = join(context.folder, `recorded-${files}.json`);
  await writeFile(file, JSON.stringify(answers));
  const started = await context.startProgram(program, { args: [file, ...args] });
  return { ...started, url: `http://127.0.0.1:${await started.ready()}` };
}

let files = 0;

export const bareNode = 'scripts/bench/lib/programs/bare-node';
