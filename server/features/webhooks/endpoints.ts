import type { Endpoint, Endpoints } from '../../deliveries/ports.js';
import type { Clock, Logger } from '../../ports.js';
import { formsOf, SealedSecretError, type SecretBox, secretsInForce } from './secrets.js';
import type { WebhookDocument, WebhookStore } from './store.js';

/** The webhooks as the delivery engine needs them, with decrypted secrets. */
export function createEndpoints(deps: {
  store: WebhookStore;
  secretBox: SecretBox;
  clock: Clock;
  logger: Logger;
}): Endpoints {
  const { store, secretBox, clock, logger } = deps;
  const reported = new Set<string>();

  /**
   * A secret that was sealed with another key signs nothing. During the overlap of a rotation, the webhook may have another
   * secret that can be opened.
   */
  function openSecrets(
    webhook: WebhookDocument,
  ): Pick<Endpoint, 'secrets' | 'presentSecret' | 'secretForms'> | 'locked' {
    const inForce = new Set(secretsInForce(webhook.secrets, clock()));
    let presentSecret: string | undefined;
    const secrets: string[] = [];
    const secretForms: string[] = [];
    let locked = 0;
    for (const stored of webhook.secrets) {
      const secret = open(stored.sealed, webhook._id);
      if (secret !== undefined) secretForms.push(...formsOf(secret));
      if (!inForce.has(stored)) continue;
      presentSecret = secret;
      if (secret === undefined) locked += 1;
      else secrets.push(secret);
    }
    report(webhook._id, locked, secrets.length);
    return secrets.length === 0 ? 'locked' : { secrets, presentSecret, secretForms };
  }

  function open(sealed: string, webhookId: string): string | undefined {
    try {
      return secretBox.open(sealed, webhookId);
    } catch (error) {
      if (error instanceof SealedSecretError) return undefined;
      throw error;
    }
  }

  /** Logs once per webhook, until all of its secrets can be opened again. */
  function report(webhookId: string, locked: number, usable: number): void {
    if (locked === 0) reported.delete(webhookId);
    else if (!reported.has(webhookId)) {
      const what = usable === 0 ? 'webhook deliveries wait: they cannot be signed' : 'a secret signs nothing';
      logger.error({ err: new SealedSecretError(), webhookId }, what);
      reported.add(webhookId);
    }
  }

  return {
    subscribersOf: store.subscribersOf,
    async find(webhookId) {
      const webhook = await store.find(webhookId);
      if (webhook === null) return 'gone';
      const opened = openSecrets(webhook);
      const { url, enabled, revision } = webhook;
      return opened === 'locked' ? opened : { url, enabled, revision, ...opened };
    },
    async goneAmong(webhookIds) {
      const known = new Set(await store.knownAmong(webhookIds));
      return webhookIds.filter((id) => !known.has(id));
    },
    disable: (webhookId, revision, status) => store.disable(webhookId, revision, status, new Date(clock())),
  };
}
