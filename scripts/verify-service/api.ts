import type { z } from 'zod';

/** The service (or the oracle) could not be asked: so its batches were not checked. */
export class CannotCheck extends Error {}

/** The answer was a 404. */
export class NotThere extends CannotCheck {}

/** The answer is not of the documented form. */
export class Malformed extends Error {}

export interface Api {
  /** Throws CannotCheck, NotThere among it, and Malformed where the answer is not of this form. */
  get<T>(path: string, form: z.ZodType<T, z.ZodTypeDef, unknown>): Promise<T>;
}

export type Wait = (waitMs: number) => Promise<void>;

const timeoutMs = 20_000;
const maxBytes = 4 * 1024 * 1024;
const maxTries = 6;
const maxWaitMs = 120_000;

/** `say` prints the longer waits: a long log cannot be read without running into the rate limit. */
export function createApi(deps: { baseUrl: string; wait: Wait; say: (line: string) => void }): Api {
  const { baseUrl, wait, say } = deps;

  async function ask(path: string): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await tryOnce(baseUrl + path);
      if ('text' in answer) return answer.text;
      const fault = `${baseUrl}${path}: ${answer.why}`;
      if (answer.status === 404) throw new NotThere(fault);
      if (attempt >= maxTries || !answer.again) throw new CannotCheck(fault);
      const waitMs = Math.min(maxWaitMs, answer.waitMs ?? 500 * 2 ** (attempt - 1));
      if (waitMs >= 5_000) say(`${answer.why}: waiting ${Math.round(waitMs / 1_000)} s …`);
      await wait(waitMs);
    }
  }

  return {
    async get(path, form) {
      const text = await ask(path);
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        throw new Malformed(`${path} is not JSON`);
      }
      // Readers of JSON disagree on doubled members and on `30.0`: what was signed is taken only as it is written.
      if (JSON.stringify(value) !== text) throw new Malformed(`${path} is not written as it was signed`);
      const parsed = form.safeParse(value);
      if (parsed.success) return parsed.data;
      const [issue] = parsed.error.issues;
      throw new Malformed(`${path}: ${issue?.path.join('.')} ${issue?.message}`);
    },
  };
}

type Tried = { text: string } | { why: string; again: boolean; status?: number; waitMs?: number };

async function tryOnce(url: string): Promise<Tried> {
  let response: Response;
  try {
    response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await readText(response);
    if (response.ok) return { text };
  } catch (error) {
    if (error instanceof CannotCheck) throw error;
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return { why: `no answer (${cause})`, again: true };
  }
  const seconds = response.headers.get('retry-after');
  return {
    why: `answered ${response.status}`,
    status: response.status,
    again: response.status === 429 || response.status >= 500,
    ...(seconds !== null && /^\d{1,6}$/.test(seconds) ? { waitMs: Number(seconds) * 1_000 } : {}),
  };
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > maxBytes) throw new CannotCheck(`${response.url} answers with more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
