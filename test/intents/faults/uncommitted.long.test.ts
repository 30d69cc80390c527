import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { toBase64 } from '../../../contract/verification/bytes.js';
import { signEd25519 } from '../../../contract/verification/ed25519.js';
import { createTakeStatusCallback } from '../../../server/features/intents/callback/status-callback.js';
import { signedPayload } from '../../../server/features/intents/callback/status-callback.rules.js';
import type { IntentStore } from '../../../server/features/intents/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { isMongoUnavailable } from '../../../server/mongo/failures.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { anchorSigner } from '../../fixtures/disputes/dispute-values.js';
import { holderIntent, paidOut } from '../../fixtures/intents/contested-transaction.js';
import { account } from '../../fixtures/intents/intent-states.js';
import { openIntents } from '../../fixtures/intents/intents-fixture.js';
import { startThreeMembers, type ThreeMembers } from '../../fixtures/limits/three-members.js';
import { outboxOf } from '../../fixtures/webhooks/emit.js';
import { silentLogger } from '../../support/silent-logger.js';
import { waitFor } from '../../support/wait-for.js';

let members: ThreeMembers;
let connection: Connection;
let store: IntentStore;
let parts: ReturnType<typeof openIntents>;

beforeAll(async () => {
  members = await startThreeMembers();
  connection = await connectMongo({ uri: members.uri });
  parts = openIntents(connection, { origin: 'http://127.0.0.1:1', owner: 'one', leaseTtlMs: 60_000 });
  store = parts.store;
  await prepareCollections(connection);
}, 120_000);
afterAll(async () => {
  await parts?.close();
  await connection?.close();
  await members?.stop();
});

const statusOf = async (intentHash: string) => (await store.findByHash(intentHash))?.status;

describe('a callback of which the primary alone has the outcome', () => {
  it('is not acknowledged, however often it is repeated, before the others have the outcome', async () => {
    const now = Date.now();
    const intentHash = holderIntent(now)._id;
    expect(await store.insert(holderIntent(now))).toBe(true);
    const anchor = anchorSigner('harbour');
    const send = createTakeStatusCallback({
      store,
      progress: parts.progress,
      signingKeyOf: async () => anchor.account,
      onDue: () => undefined,
      noteUnreadable: () => undefined,
      publicUrl: 'https://fairlead.example',
      logger: silentLogger,
      clock: Date.now,
    });
    const report = (body: unknown) => {
      const signedAt = Math.floor(now / 1_000);
      const rawBody = Buffer.from(JSON.stringify(body));
      const payload = signedPayload(signedAt, 'fairlead.example', rawBody);
      const signature = `t=${signedAt}, s=${toBase64(signEd25519(payload, anchor.secretKey))}`;
      return send(intentHash, { signature, rawBody, body }, async () => undefined);
    };
    const completed = { transaction: { ...paidOut, from: account } };

    const release = await members.holdReplication();
    const first = await report(completed).catch((error: unknown) => error);
    expect(isMongoUnavailable(first)).toBe(true);
    const repeated = await report(completed).catch((error: unknown) => error);
    expect(isMongoUnavailable(repeated)).toBe(true);
    const another = { transaction: { ...paidOut, id: 'another' } };
    expect(await report(another)).toEqual({ intentHash, status: 'pending', applied: false });
    expect(await statusOf(intentHash)).toBe('pending');
    await release();
    await waitFor(
      async () => expect(await report(completed)).toEqual({ intentHash, status: 'settled', applied: false }),
      { timeout: 30_000 },
    );
    expect(await outboxOf(connection).countDocuments({ 'data.intentHash': intentHash })).toBe(1);
  }, 120_000);
});
