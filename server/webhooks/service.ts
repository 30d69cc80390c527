import { type EventName, eventNames } from '../../contract/schemas/events.js';
import type {
  CreateWebhookBody,
  RotateSecretBody,
  UpdateWebhookBody,
  WebhookAnswer,
} from '../../contract/schemas/webhooks.js';
import { ApiError, invalidRequest } from '../errors.js';
import type { InTransaction } from '../mongo/transactions.js';
import { OutboundError } from '../outbound/outbound.js';
import { type PageQuery, readCursor, readLimit, toPage } from '../paging.js';
import { type Clock, type Logger, type NewId, toInstant } from '../ports.js';
import { timedId } from './delivery.rules.js';
import type { DeliveryStore } from './delivery-store.js';
import { rotateSecrets, type SecretBox, secretsInForce } from './secrets.js';
import type { WebhookDocument, WebhookStore } from './webhook-store.js';

export type WebhookService = ReturnType<typeof createWebhookService>;

const defaultOverlapSeconds = 86_400;
const listName = ['webhooks'];
const idPattern = /^whk_[0-9a-f]{44}$/;

/** The administration of webhooks. Unknown ids throw UNKNOWN_WEBHOOK. */
export function createWebhookService(deps: {
  webhooks: WebhookStore;
  deliveries: Pick<DeliveryStore, 'dropOf'>;
  secretBox: SecretBox;
  /** Throws OutboundError for a URL that could not be called, as far as this can be determined without DNS. */
  vetUrl: (url: string) => unknown;
  /** Called when there may be something to send. */
  wakeWorker: () => void;
  inTransaction: InTransaction;
  clock: Clock;
  newId: NewId;
  logger: Logger;
}) {
  const { webhooks, secretBox, clock, newId, logger } = deps;

  function vet(url: string): void {
    try {
      deps.vetUrl(url);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      throw invalidRequest([{ path: 'body.url', message: error.message }]);
    }
  }

  async function change(
    id: string,
    changed: (before: WebhookDocument, now: Date) => Partial<WebhookDocument>,
  ): Promise<WebhookDocument> {
    return deps.inTransaction(async (session) => {
      const before = await webhooks.find(id, session);
      if (before === null) throw unknownWebhook();
      const now = new Date(clock());
      return (await webhooks.change(session, id, { ...changed(before, now), updatedAt: now })) ?? before;
    });
  }

  return {
    /** Throws INVALID_REQUEST for an address that may not be called. */
    async create({ url, events, secret }: CreateWebhookBody): Promise<WebhookAnswer> {
      vet(url);
      const nowMs = clock();
      const now = new Date(nowMs);
      const id = timedId('whk', nowMs, newId());
      const webhook: WebhookDocument = {
        _id: id,
        url,
        events: inOrder(events),
        enabled: true,
        disabled: null,
        secrets: [{ sealed: secretBox.seal(secret, id), since: now, until: null }],
        revision: 1,
        createdAt: now,
        updatedAt: now,
      };
      await webhooks.add(webhook);
      logger.info({ webhookId: id, events: webhook.events }, 'webhook registered');
      return toWebhookAnswer(webhook, nowMs);
    },

    async list({ limit: asked, cursor }: PageQuery) {
      const limit = readLimit(asked);
      const after = readCursor(cursor, listName, [idPattern])?.[0];
      const found = await webhooks.page(after, limit + 1);
      const answers = found.map((webhook) => toWebhookAnswer(webhook, clock()));
      return toPage(answers, limit, listName, ({ id }) => [id]);
    },

    get: async (id: string) => toWebhookAnswer(await findWebhook(webhooks, id), clock()),

    async update(id: string, { url, events, enabled }: UpdateWebhookBody): Promise<WebhookAnswer> {
      if (url !== undefined) vet(url);
      const webhook = await change(id, (before, now) => ({
        ...(url === undefined ? {} : { url }),
        ...(events === undefined ? {} : { events: inOrder(events) }),
        ...(enabled === true ? { enabled, disabled: null } : {}),
        ...(enabled === false && before.enabled
          ? { enabled, disabled: { reason: 'admin', status: null, at: now } }
          : {}),
      }));
      logger.info({ webhookId: id, enabled: webhook.enabled, events: webhook.events }, 'webhook changed');
      deps.wakeWorker();
      return toWebhookAnswer(webhook, clock());
    },

    async remove(id: string) {
      if (!(await webhooks.remove(id))) throw unknownWebhook();
      logger.info({ webhookId: id }, 'webhook deleted');
      // Nobody waits for any number of them. What a crash or a failure leaves ends with the retention.
      deps.deliveries
        .dropOf(id)
        .catch((error: unknown) =>
          logger.warn({ err: error, webhookId: id }, 'deliveries of a deleted webhook stay for 30 days'),
        );
      return { id, deletedAt: toInstant(clock()) };
    },

    async rotateSecret(
      id: string,
      { secret, overlapSeconds = defaultOverlapSeconds }: RotateSecretBody,
    ): Promise<WebhookAnswer> {
      const sealed = secretBox.seal(secret, id);
      const webhook = await change(id, ({ secrets }, now) => ({
        secrets: rotateSecrets(secrets, sealed, now.getTime(), overlapSeconds * 1_000),
      }));
      logger.info({ webhookId: id, overlapSeconds }, 'webhook secret rotated');
      return toWebhookAnswer(webhook, clock());
    },
  };
}

/** Throws UNKNOWN_WEBHOOK. */
export async function findWebhook(
  webhooks: Pick<WebhookStore, 'find'>,
  id: string,
): Promise<WebhookDocument> {
  const webhook = await webhooks.find(id);
  if (webhook === null) throw unknownWebhook();
  return webhook;
}

function unknownWebhook(): ApiError {
  return new ApiError('UNKNOWN_WEBHOOK', 'No webhook has this id.');
}

/** Each event once, in the order of the contract. */
function inOrder(events: readonly EventName[]): EventName[] {
  return eventNames.filter((name) => events.includes(name));
}

/** A webhook as admins see it, with only the times of its secrets. */
function toWebhookAnswer(webhook: WebhookDocument, nowMs: number): WebhookAnswer {
  const { _id: id, url, events, enabled, disabled, secrets, createdAt } = webhook;
  const former = secretsInForce(secrets, nowMs).find(({ until }) => until !== null);
  return {
    id,
    url,
    events,
    enabled,
    disabled: disabled && { ...disabled, at: toInstant(disabled.at) },
    secretChangedAt: toInstant(secrets.at(-1)?.since ?? createdAt),
    overlapEndsAt: former?.until ? toInstant(former.until) : null,
    createdAt: toInstant(createdAt),
    updatedAt: toInstant(webhook.updatedAt),
  };
}
