import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import { expect } from 'vitest';
import type { FileDisputeBody } from '../../../contract/disputes.js';
import { createVerifyPool, type VerifyPool } from '../../../server/crypto/verify-pool.js';
import { ApiError } from '../../../server/errors.js';
import { createDisputeLimits } from '../../../server/features/disputes/limits.js';
import { createDisputeService, type DisputeServiceDeps } from '../../../server/features/disputes/service.js';
import { disputeModel, disputeWindowModel } from '../../../server/features/disputes/store.js';
import type { IntentDocument } from '../../../server/features/intents/intent-document.js';
import { intentModel } from '../../../server/features/intents/store.js';
import { createWriteEvent, outboxModel } from '../../../server/features/webhooks/outbox.js';
import type { RateLimitState } from '../../../server/http/rate-limiter.js';
import { prepareCollections } from '../../../server/mongo/collections.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import type { Logger } from '../../../server/ports.js';
import { silentLogger } from '../../helpers/silent-logger.js';
import { anchorSigner, type Signer, storedIntent } from '../../unit/disputes/fixtures.js';

export interface Options {
  now?: () => number;
  /** Called before every verification. */
  onVerify?: (intentHash: string) => Promise<void>;
  changes?: (connection: Connection) => Partial<DisputeServiceDeps>;
  logger?: Logger;
}

/** The disputes feature of one instance: a connection, limiter and verifiers of its own. */
export async function openInstance(uri: string, options: Options = {}) {
  const { now = Date.now, onVerify, changes, logger = silentLogger } = options;
  const connection = await connectMongo({ uri });
  const newId = () => randomBytes(16).toString('hex');
  const pool = createVerifyPool();
  const intents = intentModel(connection);
  const disputes = disputeModel(connection);
  const windows = disputeWindowModel(connection);
  const outbox = outboxModel(connection);
  let verifications = 0;
  const verify: VerifyPool['verify'] = async (signed) => {
    verifications += 1;
    await onVerify?.(signed.intentHash);
    return pool.verify(signed);
  };
  await prepareCollections(connection);
  const service = createDisputeService({
    model: disputes,
    findIntent: (intentHash, session) =>
      intents
        .findById(intentHash)
        .session(session ?? null)
        .lean<IntentDocument>(),
    applyDispute: async (session, intentHash, disputeEffect) => {
      const change = { $set: { disputeEffect, unfolded: true } };
      return (await intents.updateOne({ _id: intentHash }, change, { session })).matchedCount === 1;
    },
    signingKeyOf: async (anchorId) => anchorSigner(anchorId).account,
    verify,
    limits: createDisputeLimits({ windows, clock: now }),
    inTransaction: createInTransaction(connection),
    writeEvent: createWriteEvent({ connection, clock: now, newId }),
    clock: now,
    newId,
    logger,
    ...changes?.(connection),
  });

  return {
    service,
    connection,
    intents,
    disputes,
    windows,
    verifications: () => verifications,
    /** Ended intents of that account. */
    async addIntents(owner: Signer, count: number, ending: Parameters<typeof storedIntent>[1] = 'settled') {
      const added = Array.from({ length: count }, () => storedIntent(owner.account, ending, { now: now() }));
      await intents.insertMany(added);
      return added;
    },
    /** What came of it, as a status a client would see, and what the headers would show last. */
    async file(body: FileDisputeBody, client: string) {
      const shown: RateLimitState[] = [];
      const result = await service
        .file(body, client, (state) => shown.push(state))
        .then(
          ({ created }) => (created ? 'created' : 'known'),
          (error: unknown) => {
            if (error instanceof ApiError) return error.code;
            throw error;
          },
        );
      return { result, left: shown.at(-1)?.remaining };
    },
    eventsOf: async (intentHash: string) =>
      (await outbox.find({ 'data.intentHash': intentHash }).sort({ createdAt: 1 }).lean()).map(
        ({ event, data }) => ({ event, data }),
      ),
    close: async () => {
      await pool.close();
      await connection.close();
    },
  };
}

export type Instance = Awaited<ReturnType<typeof openInstance>>;

/** How many times each word occurs. */
export function countEach(words: readonly { result: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { result } of words) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}

let clients = 0;

/** A client that was never seen before. */
export function freshClient(): string {
  clients += 1;
  return `client-${clients}`;
}

/** A connection per parallel transaction would be far more than the pool has: they wait in line, but all succeed. */
export function atOnce<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  expect(count).toBeGreaterThan(1);
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}
