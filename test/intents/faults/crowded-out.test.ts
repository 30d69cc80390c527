import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { connectMongo } from '../../../server/mongo/connection.js';
import { type CrowdedAnchor, openCrowdedAnchor } from '../../fixtures/intents/crowded-anchor.js';
import { account, second } from '../../fixtures/intents/intent-states.js';
import { intentDocuments } from '../../fixtures/intents/stored-intents.js';
import { addressOf, waitingIntent } from '../../fixtures/intents/waiting-intents.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
let connection: Connection;
let anchor: CrowdedAnchor;

beforeAll(async () => {
  connection = await connectMongo({ uri });
});
afterAll(() => connection.close());
beforeEach(async () => {
  anchor = await openCrowdedAnchor(connection);
  await intentDocuments(connection).deleteMany({});
});

/** Ids that the anchor never heard of, each in the name of an account of its own. */
function invented(count: number, addresses: number) {
  return Array.from({ length: count }, (_, index) => {
    const id = `invented-${index}`;
    return waitingIntent({ id, nowMs: anchor.now(), address: addressOf(index % addresses), account: id });
  });
}

const waits = { id: 'genuine', kind: 'withdrawal', status: 'pending_user_transfer_start', from: account };
const paid = { stellar_transaction_id: 'ab', amount_in: '100', amount_out: '150000' };
const done = { ...waits, ...paid, status: 'completed' };

describe('760 invented ids from 40 addresses', () => {
  it('leave a genuine transaction seen within 20 s, followed to its outcome, and scored', async () => {
    await anchor.insert(...invented(760, 40));
    anchor.pass(second);
    const genuine = waitingIntent({ id: 'genuine', nowMs: anchor.now(), address: '192.0.2.1' });
    await anchor.insert(genuine);
    anchor.records.set('genuine', waits);
    const attachedMs = anchor.now();
    await anchor.runUntil(() => anchor.polls.some(({ id }) => id === 'genuine'), 60 * second);
    const first = anchor.polls.find(({ id }) => id === 'genuine');
    expect((first?.atMs ?? 0) - attachedMs).toBeLessThan(15 * second);

    // Paid and paid out before the next look, which is due 20 s after the first.
    anchor.pass(20 * second);
    anchor.records.set('genuine', done);
    await anchor.runUntil(async () => (await anchor.read(genuine)).status === 'settled', 60 * second);
    expect(await anchor.read(genuine)).toMatchObject({ scored: true, unscoredReason: null });
    await anchor.close();
  });
});
