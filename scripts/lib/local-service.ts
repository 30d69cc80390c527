import { setTimeout as sleep } from 'node:timers/promises';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The address of `npm start`: port 8080 or, like `npm start` itself, PORT. */
export function localServiceUrl(): string {
  return `http://127.0.0.1:${process.env.PORT || '8080'}`;
}

/** Prints the reason of a failed command in one line, and ends it. */
export function explainFailure(error: unknown): never {
  const down = error instanceof TypeError && error.message === 'fetch failed';
  if (down)
    console.error('The service does not answer. Is it running (npm start)? Elsewhere: --url, or PORT.');
  else console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

const readyTimeoutMs = 30_000;
const pollMs = 10;

/** Waits until the service at this address answers that it is ready: it listens a moment before that. */
export async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  while (!(await isReady(url))) {
    if (Date.now() > deadline) throw new Error(`The service is not ready after ${readyTimeoutMs / 1000} s.`);
    await sleep(pollMs);
  }
}

/** Whether the service at this address says now that it is ready. */
export async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    // It is not listening yet, or slow: the caller retries.
    return false;
  }
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** The options of a command. With `--help` it prints the text and ends; on an unknown option it says so and ends with 2. */
export function readOptions<const O extends Options>(help: string, options: O, args = process.argv.slice(2)) {
  const config = {
    args,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, ...options },
  } as const;
  let parsed: ReturnType<typeof parseArgs<{ args: string[]; allowPositionals: true; options: O }>>;
  try {
    parsed = parseArgs(config) as typeof parsed;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
  if ('help' in parsed.values && parsed.values.help === true) {
    console.log(help);
    process.exit(0);
  }
  return parsed;
}
