import type { Clock, Logger } from '../../ports.js';
import { formsOf } from './answer-excerpt.rules.js';
import { SealedSecretError, type SecretBox } from './secret-box.js';
import { secretsInForce } from './secrets.rules.js';
import type { Destination } from './sender.js';
import type { WebhookModel, WebhookRow } from './store.js';

/** A webhook as the dispatcher needs it. */
export interface Recipient extends Destination {
  enabled: boolean;
  revision: number;
}

/** Webhooks for the dispatcher: read afresh for every claim, so that a change counts from the next one on. */
export interface Destinations {
  /** `gone`: deleted. `locked`: none of its secrets can be opened, so nothing can be signed for it. */
  find(webhookId: string): Promise<Recipient | 'gone' | 'locked'>;
  /** After a refusal; not if an admin changed the webhook since it was read. Returns whether this disabled it. */
  disable(webhookId: string, revision: number, status: number | null): Promise<boolean>;
  /** Seals what was stored in the clear before there was a key. Returns how many webhooks it changed. */
  sealOutdated(): Promise<number>;
}

export function createDestinations(deps: {
  webhooks: WebhookModel;
  box: SecretBox;
  clock: Clock;
  logger: Logger;
}): Destinations {
  const { webhooks, box, clock, logger } = deps;
  const reported = new Set<string>();

  /** One that was sealed with another key may stand beside others, for the overlap of a rotation: it signs nothing. */
  function openSecrets(row: WebhookRow): Pick<Recipient, 'secrets' | 'cutOut'> | 'locked' {
    const inForce = new Set(secretsInForce(row.secrets, clock()));
    const secrets: string[] = [];
    const cutOut: string[] = [];
    let locked = 0;
    for (const stored of row.secrets) {
      const secret = open(stored.sealed, row._id);
      if (secret !== undefined) cutOut.push(...formsOf(secret));
      if (!inForce.has(stored)) continue;
      if (secret === undefined) locked += 1;
      else secrets.push(secret);
    }
    report(row._id, locked, secrets.length);
    return secrets.length === 0 ? 'locked' : { secrets, cutOut };
  }

  /** Once, until all can be opened again. */
  function report(webhookId: string, locked: number, usable: number): void {
    if (locked === 0) reported.delete(webhookId);
    else if (!reported.has(webhookId)) {
      const what = usable === 0 ? 'webhook deliveries wait: they cannot be signed' : 'a secret signs nothing';
      logger.error({ err: new SealedSecretError(), webhookId }, what);
      reported.add(webhookId);
    }
  }

  function open(sealed: string, webhookId: string): string | undefined {
    try {
      return box.open(sealed, webhookId);
    } catch (error) {
      if (error instanceof SealedSecretError) return undefined;
      throw error;
    }
  }

  return {
    async find(webhookId) {
      const row = await webhooks.findById(webhookId).lean<WebhookRow>();
      if (row === null) return 'gone';
      const secrets = openSecrets(row);
      const { url, enabled, revision } = row;
      return secrets === 'locked' ? secrets : { url, enabled, revision, ...secrets };
    },

    async disable(webhookId, revision, status) {
      const at = new Date(clock());
      const result = await webhooks.updateOne(
        { _id: webhookId, revision, enabled: true },
        { $set: { enabled: false, disabled: { reason: 'refused', status, at }, updatedAt: at } },
      );
      return result.modifiedCount === 1;
    },

    async sealOutdated() {
      let changed = 0;
      for await (const row of webhooks.find().lean<WebhookRow>()) {
        if (!row.secrets.some(({ sealed }) => box.isOutdated(sealed))) continue;
        const secrets = row.secrets.map((secret) => ({
          ...secret,
          // Those that are sealed are left as they are: another key may have sealed them.
          ...(box.isOutdated(secret.sealed)
            ? { sealed: box.seal(box.open(secret.sealed, row._id), row._id) }
            : {}),
        }));
        const result = await webhooks.updateOne(
          { _id: row._id, revision: row.revision },
          { $set: { secrets } },
        );
        changed += result.modifiedCount;
      }
      return changed;
    },
  };
}
