import { describe, expect, it } from '@jest/globals';
import { crowdedAnchorTests } from '../../fixtures/intents/crowded-anchor.js';
import { account, second } from '../../fixtures/intents/intent-states.js';
import { waitingIntent } from '../../fixtures/intents/waiting-intents.js';
import { testDatabase } from '../../support/database.js';

const tests = crowdedAnchorTests(testDatabase().uri);

const waits = { id: 'genuine', kind: 'withdrawal', status: 'pending_user_transfer_start', from: account };
const paid = { stellar_transaction_id: 'ab', amount_in: '100', amount_out: '150000' };
const done = { ...waits, ...paid, status: 'completed' };

describe('760 invented ids from 40 addresses', () => {
  it('leave a genuine transaction seen within 20 s, followed to its outcome, and scored', async () => {
    await tests.anchor.insert(...tests.invented(760, 40));
    tests.anchor.pass(second);
    const genuine = waitingIntent({ id: 'genuine', nowMs: tests.anchor.now(), address: '192.0.2.1' });
    await tests.anchor.insert(genuine);
    tests.anchor.records.set('genuine', waits);
    const attachedMs = tests.anchor.now();
    await tests.anchor.runUntil(() => tests.anchor.polls.some(({ id }) => id === 'genuine'), 60 * second);
    const first = tests.anchor.polls.find(({ id }) => id === 'genuine');
    expect((first?.atMs ?? 0) - attachedMs).toBeLessThan(15 * second);

    // Paid and paid out before the next look, which is due 20 s after the first.
    tests.anchor.pass(20 * second);
    tests.anchor.records.set('genuine', done);
    await tests.anchor.runUntil(
      async () => (await tests.anchor.read(genuine)).status === 'settled',
      60 * second,
    );
    expect(await tests.anchor.read(genuine)).toMatchObject({ scored: true, unscoredReason: null });
    await tests.anchor.close();
  });
});
