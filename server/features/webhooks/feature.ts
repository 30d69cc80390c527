import type { Deliveries } from '../../deliveries/deliveries.js';
import type { PauseBeforeTry } from '../../mongo/refused-writes.js';
import { parseAllowedOrigin } from '../../outbound/allow.js';
import { vetUrl } from '../../outbound/vet-url.js';
import type { Clock, Logger, NewId } from '../../ports.js';
import { createDeliveryLog } from './delivery-log.js';
import { createWebhooksRouter } from './router.js';
import type { SecretBox } from './secrets.js';
import { createWebhookService } from './service.js';
import type { WebhookStore } from './store.js';

/** Exports for the delivery engine, which is constructed before this feature, because the feature wakes it. */
export { createEndpoints } from './endpoints.js';
export { createSecretBox } from './secrets.js';

export interface WebhooksDeps {
  store: WebhookStore;
  secretBox: SecretBox;
  deliveries: Pick<Deliveries, 'wake' | 'log'>;
  /** The origins of OUTBOUND_ALLOW, by which addresses are vetted at registration. */
  outboundAllow: readonly string[];
  pauseBeforeTry: PauseBeforeTry;
  clock: Clock;
  newId: NewId;
  logger: Logger;
}

/** The API of webhooks: subscriptions, secrets, and the log of their deliveries. server/deliveries/ sends them. */
export function createWebhooksFeature(deps: WebhooksDeps) {
  const { store, secretBox, deliveries, clock, newId, logger } = deps;
  const allowed = new Set(deps.outboundAllow.map(parseAllowedOrigin));
  const service = createWebhookService({
    store,
    secretBox,
    vetUrl: (url) => vetUrl(url, allowed),
    wakeDeliveries: deliveries.wake,
    forgetDeliveries: deliveries.log.forget,
    pauseBeforeTry: deps.pauseBeforeTry,
    clock,
    newId,
    logger,
  });
  const log = createDeliveryLog({ store, deliveries: deliveries.log });
  return {
    router: createWebhooksRouter({ service, log }),
    service,
    log,
    /** A boot step: seals secrets that were stored in the clear before there was a key. Returns the number of webhooks. */
    sealSecrets: () => sealSecrets(store, secretBox, logger),
  };
}

async function sealSecrets(store: WebhookStore, secretBox: SecretBox, logger: Logger): Promise<number> {
  if (!secretBox.hasKey) {
    logger.warn({}, 'WEBHOOK_KEY is not set: secrets of webhooks are stored in the clear');
    return 0;
  }
  let changed = 0;
  for await (const webhook of store.all()) {
    if (!webhook.secrets.some(({ sealed }) => secretBox.isOutdated(sealed))) continue;
    // Sealed secrets stay unchanged, because another key may have sealed them.
    const secrets = webhook.secrets.map(({ sealed, ...times }) => ({
      ...times,
      sealed: secretBox.isOutdated(sealed)
        ? secretBox.seal(secretBox.open(sealed, webhook._id), webhook._id)
        : sealed,
    }));
    if (await store.resealSecrets(webhook, secrets)) changed += 1;
  }
  if (changed > 0) logger.info({ webhooks: changed }, 'webhook secrets sealed that were stored in the clear');
  return changed;
}
