import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { type LoopbackServer, listenOnLoopback } from '../../../scripts/lib/loopback-server.js';
import { type ReconcileLimits, reconcileLease } from '../../../server/features/intents/polls/reconcile.js';
import { newIntent } from '../../../server/features/intents/registration/new-intent.rules.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { account, freshState, hour } from '../../fixtures/intents/intent-states.js';
import { openIntents } from '../../fixtures/intents/intents-fixture.js';
import { insertIntents, intentDocuments } from '../../fixtures/intents/stored-intents.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
let connection: Connection;
let anchor: LoopbackServer;
let polls: { id: string; atMs: number }[] = [];
/** How long the anchor takes to answer for ids that begin with "slow". */
let slowMs = 0;

beforeAll(async () => {
  connection = await connectMongo({ uri });
  anchor = await listenOnLoopback((request, response) => {
    const id = new URL(request.url ?? '', 'http://anchor').searchParams.get('id') ?? '';
    polls.push({ id, atMs: performance.now() });
    const transaction = { id, kind: 'withdrawal', status: 'pending_user_transfer_start' };
    const answer = () => response.end(JSON.stringify({ transaction }));
    setTimeout(answer, id.startsWith('slow') ? slowMs : 0);
  });
});
afterAll(async () => {
  await anchor.stop();
  await connection.close();
});
beforeEach(async () => {
  polls = [];
  slowMs = 0;
  await intentDocuments(connection).deleteMany({});
});

async function opened(limits: Partial<ReconcileLimits>) {
  const intents = openIntents(connection, {
    origin: anchor.origin,
    owner: 'test',
    leaseTtlMs: 5_000,
    limits,
  });
  await prepareCollections(connection);
  await intents.leases.seed([reconcileLease]);
  return {
    ...intents,
    async run() {
      const outcome = await intents.reconcile.run();
      if (!outcome.ran) throw new Error('another run is under way');
      return outcome.value;
    },
  };
}

/** Stores due intents of an anchor; `attached` ones have a transaction, the others are past their deadline. */
async function register(anchorId: string, count: number, attached: boolean): Promise<void> {
  const { sellAsset, buyAsset } = freshState().corridorTerms;
  const due = Array.from({ length: count }, (_, index) =>
    newIntent({
      intentHash: `${anchorId}-${attached ? 'attached' : 'bare'}-${index}`,
      body: {
        corridor: 'usdc-ngn',
        anchorId,
        account,
        sellAmount: '100',
        nonce: '',
        ...(attached ? { anchorTransactionId: `${anchorId}-${index}` } : {}),
      },
      corridor: { id: 'usdc-ngn', sellAsset, buyAsset, overdueAfterSeconds: 86_400 },
      quote: null,
      nowMs: Date.now() - (attached ? 1_000 : 25 * hour),
    }),
  );
  await insertIntents(connection, ...due);
}

describe('a reconcile run', () => {
  it('polls an anchor no faster than its rate, however many intents are due', async () => {
    const intents = await opened({ pollSpacingMs: 60 });
    await register('busy', 12, true);
    await intents.run();
    const [first, last] = [polls[0]?.atMs ?? 0, polls.at(-1)?.atMs ?? 0];
    expect(polls).toHaveLength(12);
    expect(last - first).toBeGreaterThan(11 * 60 - 30);
    await intents.close();
  });

  it('does not delay the other anchors when one is slow', async () => {
    slowMs = 300;
    const intents = await opened({});
    await register('slow', 6, true);
    await register('calm', 6, true);
    await intents.run();
    const lastOf = (name: string) => polls.filter(({ id }) => id.startsWith(name)).at(-1)?.atMs ?? 0;
    expect(polls).toHaveLength(12);
    expect(lastOf('calm')).toBeLessThan(lastOf('slow') - 900);
    await intents.close();
  });

  it('starts no poll after its time limit, and reports more', async () => {
    slowMs = 100;
    const intents = await opened({ maxRunMs: 250 });
    await register('slow', 10, true);
    const { looked, more } = await intents.run();
    expect(more).toBe(true);
    expect(looked).toBeLessThan(6);
    await intents.close();
  });

  it('expires a thousand abandoned intents without delaying a paid one', async () => {
    const intents = await opened({});
    await register('busy', 1_000, false);
    await register('busy', 1, true);
    const { looked, expired, polled, more } = await intents.run();
    expect({ looked, expired, polled, more }).toEqual({
      looked: 1_001,
      expired: 1_000,
      polled: 1,
      more: false,
    });
    const kinds = await intentDocuments(connection).distinct('outcome.reason');
    expect(kinds).toEqual(['no_transaction']);
    expect(await connection.collection('outbox').countDocuments()).toBe(0);
    await intents.close();
  });
});
