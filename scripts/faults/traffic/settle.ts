import { setTimeout as delay } from 'node:timers/promises';
import type { TrafficContext } from './context.js';

/** What did not come to rest, each in a sentence. */
class NotSettled extends Error {
  override readonly name = 'NotSettled';

  constructor(readonly unrest: readonly string[]) {
    super(`Not everything came to rest: ${unrest.join(' ')}`);
  }
}

export interface SettleOptions {
  deadlineMs: number;
  /** The intents that have an outcome, and are to be counted. */
  ended(): readonly string[];
  /** What the driver itself still waits for, each in a sentence. */
  underWay(): readonly string[];
}

const lookEveryMs = 2_000;
/** A retry that is due later than this is brought forward; what failed for good is sent again. */
const patienceMs = 5_000;

/**
 * Waits until nothing is left to do: outcomes are counted, disputes decided, deliveries delivered, batches receipted.
 * Throws NotSettled when that takes too long.
 */
export async function settle(context: TrafficContext, options: SettleOptions): Promise<void> {
  const { clients, clock, over } = context;
  const counted = new Set<string>();

  async function uncounted(): Promise<string[]> {
    for (const intentHash of options.ended()) {
      if (counted.has(intentHash)) continue;
      const { status, body } = await clients.next().intents.getIntent({ params: { intentHash } });
      if (status === 200 && body.outcome?.counts !== 'pending') counted.add(intentHash);
    }
    const left = options.ended().length - counted.size;
    return left === 0 ? [] : [`${left} outcomes are not counted yet.`];
  }

  async function undecided(): Promise<string[]> {
    const { status, body } = await clients
      .operator()
      .adminDisputes.listDisputes({ query: { status: 'open', limit: '100' } });
    if (status !== 200) return ['The disputes cannot be listed.'];
    return body.items.map(({ id }) => `The dispute ${id} is not decided.`);
  }

  async function unpublished(): Promise<string[]> {
    const { status, body } = await clients.next().publisher.getPublisherHealth();
    if (status !== 200) return ['The publisher does not say how it is.'];
    if (body.pending > 0) return [`${body.pending} batches have no receipt.`];
    return body.status === 'ok' ? [] : [`The publisher is ${body.status}: ${body.reason}.`];
  }

  async function undelivered(): Promise<string[]> {
    const { webhooks } = clients.operator();
    const listed = await webhooks.listWebhooks({ query: { limit: '100' } });
    if (listed.status !== 200) return ['The webhooks cannot be listed.'];
    const found: string[] = [];
    for (const { id } of listed.body.items) {
      for (const state of ['pending', 'held', 'refused', 'exhausted'] as const) {
        const { status, body } = await webhooks.listDeliveries({ params: { id }, query: { state } });
        if (status !== 200) found.push(`The deliveries of ${id} cannot be listed.`);
        else if (body.items.length > 0) found.push(`${body.items.length} deliveries of ${id} are ${state}.`);
        if (status !== 200 || state === 'held') continue;
        for (const { id: deliveryId, nextAttemptAt } of body.items) {
          if (state === 'pending' && isSoon(nextAttemptAt)) continue;
          await webhooks.resendDelivery({ params: { id, deliveryId } });
        }
      }
    }
    return found;
  }

  /** True if the delivery is due soon or being sent now. */
  function isSoon(at: string | null): boolean {
    return at === null || Date.parse(at) < clock() + patienceMs;
  }

  async function unrest(): Promise<readonly string[]> {
    const own = options.underWay();
    if (own.length > 0) return own;
    return (await Promise.all([uncounted(), undecided(), unpublished(), undelivered()])).flat();
  }

  let atRest = 0;
  for (;;) {
    const found = await unrest().catch((error: unknown) => [
      `The service does not answer: ${String(error)}.`,
    ]);
    atRest = found.length === 0 ? atRest + 1 : 0;
    // An event's deliveries are created a moment after the event.
    if (atRest === 3) return;
    if (clock() > options.deadlineMs) throw new NotSettled(found);
    await delay(lookEveryMs, undefined, { signal: over });
  }
}
