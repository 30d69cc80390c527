import type { AttemptOutcome } from '../../contract/schemas/webhooks.js';
import type { Random } from '../ports.js';

/** How many POSTs one instance makes at once: to one webhook, to all, and to all that may be hanging. */
export const placesOf = { oneWebhook: 8, all: 64, thoseThatMayHang: 32 };

interface Webhook {
  taken: number;
  mayHang: boolean;
  /** Grows with each place that is given to any webhook; before the first it is below 0, in random order. */
  lastTurn: number;
}

/**
 * Who may be sent how many deliveries now. Each webhook gets its first place before any gets its second, and the one served
 * longest ago comes first. A webhook may hang while it has not acknowledged anything, since this instance started or since
 * an attempt timed out: until it does, it has one place, and all such webhooks share half of the places, so that the other
 * half stays for the others.
 */
export function createPlaces(random: Random) {
  const webhooks = new Map<string, Webhook>();
  let turn = 0;

  function webhookOf(id: string): Webhook {
    const webhook = webhooks.get(id) ?? { taken: 0, mayHang: true, lastTurn: -random() };
    webhooks.set(id, webhook);
    return webhook;
  }

  function taken(by: (webhook: Webhook) => boolean): number {
    return [...webhooks.values()].filter(by).reduce((sum, webhook) => sum + webhook.taken, 0);
  }

  return {
    /** How many more deliveries may be claimed for each of these webhooks; those that may have none are left out. */
    share(due: readonly string[]): Map<string, number> {
      let free = placesOf.all - taken(() => true);
      let freeToHang = placesOf.thoseThatMayHang - taken(({ mayHang }) => mayHang);
      const round = due.map((id) => ({ id, webhook: webhookOf(id) }));
      round.sort((a, b) => a.webhook.lastTurn - b.webhook.lastTurn);
      const shares = new Map<string, number>();
      for (let place = 0; place < placesOf.oneWebhook; place += 1) {
        for (const { id, webhook } of round) {
          const given = shares.get(id) ?? 0;
          if (free <= 0 || webhook.taken + given !== place) continue;
          if (webhook.mayHang && (place > 0 || freeToHang <= 0)) continue;
          if (webhook.mayHang) freeToHang -= 1;
          free -= 1;
          turn += 1;
          webhook.lastTurn = turn;
          shares.set(id, given + 1);
        }
      }
      return shares;
    },
    /** A POST to this webhook begins. */
    take(webhookId: string): void {
      webhookOf(webhookId).taken += 1;
    },
    /** It has ended and is recorded. */
    release(webhookId: string, outcome: AttemptOutcome): void {
      const webhook = webhookOf(webhookId);
      webhook.taken -= 1;
      if (outcome === 'acknowledged') webhook.mayHang = false;
      if (outcome === 'timeout') webhook.mayHang = true;
    },
  };
}
