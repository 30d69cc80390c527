import { type EventName, eventNames } from '../../../contract/schemas/events.js';
import type {
  CreateWebhookBody,
  RotateSecretBody,
  UpdateWebhookBody,
  WebhookAnswer,
} from '../../../contract/schemas/webhooks.js';
import { ApiError, invalidRequest } from '../../errors.js';
import { OutboundError } from '../../outbound/outbound.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import { type Clock, type Logger, type NewId, toInstant } from '../../ports.js';
import { timedId } from './new-delivery.rules.js';
import type { SecretBox } from './secret-box.js';
import { rotateSecrets } from './secrets.rules.js';
import type { WebhookModel, WebhookRow } from './store.js';
import { toWebhookAnswer } from './webhook-answer.rules.js';

/** The administration of webhooks. Unknown ids throw UNKNOWN_WEBHOOK. */
export interface WebhookAdmin {
  /** Throws INVALID_REQUEST for an address that may not be called. */
  create(body: CreateWebhookBody): Promise<WebhookAnswer>;
  list(query: PageQuery): Promise<{ items: WebhookAnswer[]; nextCursor: string | null }>;
  get(id: string): Promise<WebhookAnswer>;
  update(id: string, body: UpdateWebhookBody): Promise<WebhookAnswer>;
  remove(id: string): Promise<{ id: string; deletedAt: string }>;
  rotateSecret(id: string, body: RotateSecretBody): Promise<WebhookAnswer>;
}

interface PageQuery {
  limit?: string | undefined;
  cursor?: string | undefined;
}

const maxTries = 8;
const defaultOverlapSeconds = 86_400;
const listName = ['webhooks'];
const idPattern = /^whk_[0-9a-f]{44}$/;

export function createWebhookAdmin(deps: {
  webhooks: WebhookModel;
  box: SecretBox;
  /** Throws OutboundError for a URL that could not be called, as far as it shows without DNS. */
  vetUrl: (url: string) => unknown;
  /** Called when there may be something to send. */
  wake: () => void;
  /** Called when a webhook was deleted. */
  forget: (webhookId: string) => void;
  clock: Clock;
  newId: NewId;
  logger: Logger;
}): WebhookAdmin {
  const { webhooks, box, wake, forget, clock, newId, logger } = deps;

  function vet(url: string): void {
    try {
      deps.vetUrl(url);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      throw invalidRequest([{ path: 'body.url', message: error.message }]);
    }
  }

  /** Nobody's change is lost: what was read is what is written to, else it is read again. */
  async function change(
    id: string,
    changed: (row: WebhookRow, now: Date) => Partial<WebhookRow>,
  ): Promise<WebhookRow> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const row = await find(id);
      const now = new Date(clock());
      const after = await webhooks
        .findOneAndUpdate(
          { _id: id, revision: row.revision, enabled: row.enabled },
          { $set: { ...changed(row, now), updatedAt: now }, $inc: { revision: 1 } },
          { returnDocument: 'after' },
        )
        .lean<WebhookRow>();
      if (after !== null) return after;
    }
    throw new Error(`webhook ${id} was changed by others ${maxTries} times while a change was made to it`);
  }

  async function find(id: string): Promise<WebhookRow> {
    const row = await webhooks.findById(id).lean<WebhookRow>();
    if (row === null) throw unknownWebhook();
    return row;
  }

  return {
    async create({ url, events, secret }) {
      vet(url);
      const nowMs = clock();
      const now = new Date(nowMs);
      const id = timedId('whk', nowMs, newId());
      const row: WebhookRow = {
        _id: id,
        url,
        events: inOrder(events),
        enabled: true,
        disabled: null,
        secrets: [{ sealed: box.seal(secret, id), since: now, until: null }],
        revision: 1,
        createdAt: now,
        updatedAt: now,
      };
      await webhooks.create(row);
      logger.info({ webhookId: id, events: row.events }, 'webhook registered');
      return toWebhookAnswer(row, nowMs);
    },

    async list({ limit: asked, cursor }) {
      const limit = readLimit(asked);
      const after = readCursor(cursor, listName, [idPattern])?.[0];
      const rows = await webhooks
        .find(after === undefined ? {} : { _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit + 1)
        .lean<WebhookRow[]>();
      const answers = rows.map((row) => toWebhookAnswer(row, clock()));
      return toPage(answers, limit, listName, ({ id }) => [id]);
    },

    get: async (id) => toWebhookAnswer(await find(id), clock()),

    async update(id, { url, events, enabled }) {
      if (url !== undefined) vet(url);
      const row = await change(id, (before, now) => ({
        ...(url === undefined ? {} : { url }),
        ...(events === undefined ? {} : { events: inOrder(events) }),
        ...(enabled === true ? { enabled, disabled: null } : {}),
        ...(enabled === false && before.enabled
          ? { enabled, disabled: { reason: 'admin', status: null, at: now } }
          : {}),
      }));
      logger.info({ webhookId: id, enabled: row.enabled, events: row.events }, 'webhook changed');
      wake();
      return toWebhookAnswer(row, clock());
    },

    async remove(id) {
      const result = await webhooks.deleteOne({ _id: id });
      if (result.deletedCount === 0) throw unknownWebhook();
      logger.info({ webhookId: id }, 'webhook deleted');
      forget(id);
      return { id, deletedAt: toInstant(clock()) };
    },

    async rotateSecret(id, { secret, overlapSeconds = defaultOverlapSeconds }) {
      const sealed = box.seal(secret, id);
      const row = await change(id, ({ secrets }, now) => ({
        secrets: rotateSecrets(secrets, sealed, now.getTime(), overlapSeconds * 1_000),
      }));
      logger.info({ webhookId: id, overlapSeconds }, 'webhook secret rotated');
      return toWebhookAnswer(row, clock());
    },
  };
}

export function unknownWebhook(): ApiError {
  return new ApiError('UNKNOWN_WEBHOOK', 'No webhook has this id.');
}

/** Each once, in the order of the contract. */
function inOrder(events: readonly EventName[]): EventName[] {
  return eventNames.filter((name) => events.includes(name));
}
