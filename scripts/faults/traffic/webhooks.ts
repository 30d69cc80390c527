import { setTimeout as delay } from 'node:timers/promises';
import { type EventName, eventNames } from '../../../contract/schemas/events.js';
import { repeatedly, type TrafficContext } from './context.js';
import { type ReceiverBehavior, receiverBehaviors, receiverSecret } from './receivers.js';

export interface Webhooks {
  /** Registers a webhook of each behavior; resolves when all are acknowledged. */
  registerFirst(): Promise<void>;
  /** Registers some more during the run, until nothing new may begin. */
  registerLater(): Promise<void>;
  /** Enables what a refusal disabled and sends again what failed, as an operator does, until the signal aborts. */
  keep(signal: AbortSignal): Promise<void>;
}

const keepEveryMs = 5_000;
const betweenAttemptsMs = 500;

/** The operator's work for the receivers. */
export function createWebhooks(context: TrafficContext): Webhooks {
  const { clients, surroundings, settings, clock, ending, over } = context;
  const { receivers } = surroundings;
  let attempts = 0;

  /**
   * A registration is not safe to repeat, and an attempt without an answer may have registered it: so each attempt has its
   * own address, which identifies whatever the other attempts have registered.
   */
  async function register(behavior: ReceiverBehavior, events: readonly EventName[]): Promise<void> {
    for (;;) {
      over.throwIfAborted();
      attempts += 1;
      const body = { url: receivers.urlOf(behavior, attempts), events: [...events], secret: receiverSecret };
      const answer = await clients
        .operator()
        .webhooks.createWebhook({ body })
        .catch(() => undefined);
      if (answer?.status === 201) return;
      if (answer !== undefined && answer.status < 429)
        return context.refused(`A webhook was refused with ${answer.status}.`);
      await delay(betweenAttemptsMs, undefined, { signal: over });
    }
  }

  async function mend(): Promise<void> {
    const { webhooks } = clients.operator();
    // What was sent again since then and failed again is left to a later call.
    const since = new Date(clock() - 4 * keepEveryMs).toISOString();
    const { status, body } = await webhooks.listWebhooks({ query: { limit: '100' } });
    if (status !== 200) return;
    for (const { id, enabled } of body.items) {
      if (!enabled) await webhooks.updateWebhook({ params: { id }, body: { enabled: true } });
      await webhooks.resendFailedDeliveries({ params: { id }, body: { since } });
    }
  }

  return {
    registerFirst: async () =>
      void (await Promise.all(receiverBehaviors.map((behavior) => register(behavior, eventNames)))),
    async registerLater() {
      let left = settings.laterWebhooks;
      await repeatedly(context, settings.everyMs.webhook, ending, async () => {
        left -= 1;
        if (left >= 0) await register('steady', eventNames.slice(left % 3));
      });
    },
    // What could not be repaired this time is repaired the next time.
    keep: (signal) => repeatedly(context, keepEveryMs, signal, () => mend().catch(() => undefined)),
  };
}
