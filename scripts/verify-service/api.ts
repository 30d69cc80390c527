import type { z } from 'zod';

/** The service (or the oracle) could not be asked: so its batches were not checked. */
export class CannotCheck extends Error {}

/** The answer was a 404. */
export class NotThere extends CannotCheck {}

/** Something that was published does not hold; the message says where and how. */
export class Refuted extends Error {}

export interface Terminal {
  say(line: string): void;
  wait(waitMs: number): Promise<void>;
  now(): string;
}

/** Throws CannotCheck, NotThere among it, and Refuted where the answer is not of this form. */
export type Get = <T>(path: string, form: z.ZodType<T, z.ZodTypeDef, unknown>) => Promise<T>;

const timeoutMs = 20_000;
const maxTries = 6;
const maxWaitMs = 120_000;

/** Reads of one service. Longer waits are told: a long log cannot be read without running into the rate limit. */
export function reader(baseUrl: string, { wait, say }: Terminal): Get {
  async function ask(path: string): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await tryOnce(baseUrl + path);
      if ('text' in answer) return answer.text;
      const fault = `${baseUrl}${path}: ${answer.why}`;
      if (answer.status === 404) throw new NotThere(fault);
      const mayMend = answer.status === undefined || answer.status === 429 || answer.status >= 500;
      if (attempt >= maxTries || !mayMend) throw new CannotCheck(fault);
      const waitMs = Math.min(maxWaitMs, answer.waitMs ?? 500 * 2 ** (attempt - 1));
      if (waitMs >= 5_000) say(`${answer.why}: waiting ${Math.round(waitMs / 1_000)} s …`);
      await wait(waitMs);
    }
  }

  return async (path, form) => {
    const text = await ask(path);
    const refuse = (what: string) => new Refuted(`not of the documented form: ${path}${what}`);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw refuse(' is not JSON');
    }
    // Readers of JSON disagree on doubled members and on `30.0`: what was signed is taken only as it is written.
    if (JSON.stringify(value) !== text) throw refuse(' is not written as it was signed');
    const parsed = form.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw refuse(`: ${issue?.path.join('.')} ${issue?.message}`);
  };
}

type Tried = { text: string } | { why: string; status?: number; waitMs?: number | undefined };

async function tryOnce(url: string): Promise<Tried> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.ok) return { text: await response.text() };
    await response.body?.cancel();
    const seconds = /^\d{1,6}$/.exec(response.headers.get('retry-after') ?? '')?.[0];
    const waitMs = seconds === undefined ? undefined : Number(seconds) * 1_000;
    return { why: `answered ${response.status}`, status: response.status, waitMs };
  } catch (error) {
    const { cause } = error as Error;
    return { why: `no answer (${cause instanceof Error ? cause.message : String(error)})` };
  }
}
