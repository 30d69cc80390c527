import type { IntentAnswer } from '../client/generated/types.js';
import { Stop } from './errors.js';
import { patiently, retryAfterMs, Unavailable } from './exchange.js';
import type { OfframpService, Run } from './options.js';

interface ServiceAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

type Good<A> = A extends { status: 200 | 201; body: infer Body } ? Body : never;

/** Calls the service once. Throws Unavailable on 429, 5xx, lost connections and pages of proxies. */
async function askOnce<A extends ServiceAnswer>(
  run: Run,
  call: (service: OfframpService, fetchOptions: { signal?: AbortSignal }) => Promise<A>,
): Promise<Good<A>> {
  let answer: A;
  try {
    answer = await call(run.service, run.signal === undefined ? {} : { signal: run.signal });
  } catch (error) {
    if (run.signal?.aborted) throw error;
    throw new Unavailable('the service does not answer', null, error);
  }
  const { status, body } = answer;
  if (status === 200 || status === 201) return body as Good<A>;
  const { code = String(status) } = (body ?? {}) as { code?: string };
  if (status !== 429 && status < 500) throw new Stop('service_refused', { detail: code });
  throw new Unavailable(`the service answers ${code}`, retryAfterMs(answer.headers, run.clock()));
}

/** Calls the service, and retries for as long as `patienceMs`. */
export function callService<A extends ServiceAnswer>(
  run: Run,
  call: (service: OfframpService, fetchOptions: { signal?: AbortSignal }) => Promise<A>,
): Promise<Good<A>> {
  return patiently(run, 'service_unavailable', () => askOnce(run, call));
}

/** The current state of the intent, with retries for as long as `patienceMs`. */
export function askIntent(run: Run, intentHash: string): Promise<IntentAnswer> {
  return patiently(run, 'service_unavailable', () => readIntent(run, intentHash));
}

/** The current state of the intent; throws Unavailable if the service does not answer. */
export function readIntent(run: Run, intentHash: string): Promise<IntentAnswer> {
  return askOnce(run, ({ intents }, fetchOptions) =>
    intents.getIntent({ params: { intentHash }, fetchOptions }),
  );
}
