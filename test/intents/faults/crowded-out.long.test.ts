import { describe, expect, it } from '@jest/globals';
import { clientHash } from '../../../server/http/client-hash.js';
import { crowdedAnchorTests } from '../../fixtures/intents/crowded-anchor.js';
import { account, second } from '../../fixtures/intents/intent-states.js';
import { knownIntent, paidIntent, waitingIntent } from '../../fixtures/intents/waiting-intents.js';
import { testDatabase } from '../../support/database.js';

const tests = crowdedAnchorTests(testDatabase().uri);

/** An address whose hash comes after nearly all others in the order of the turns. */
function lastAddress(): string {
  const addresses = Array.from({ length: 4_000 }, (_, index) => `198.51.${index >> 8}.${index & 255}`);
  return addresses.find((address) => clientHash(address) > 'fe') ?? '';
}

const instant = (ms: number) => new Date(ms).toISOString();

describe('900 invented ids of 900 accounts from 300 addresses', () => {
  it('delay the first look by a third of a second for each address at most, and cost no outcome', async () => {
    await tests.anchor.insert(...tests.invented(900, 300));
    tests.anchor.pass(second);
    const genuine = waitingIntent({ id: 'genuine', nowMs: tests.anchor.now(), address: lastAddress() });
    await tests.anchor.insert(genuine);
    const attachedMs = tests.anchor.now();
    tests.anchor.records.set('genuine', {
      ...{ id: 'genuine', kind: 'withdrawal', status: 'completed', from: account },
      ...{ stellar_transaction_id: 'ab', amount_in: '100', amount_out: '150000' },
      started_at: instant(attachedMs - 5 * second),
      completed_at: instant(attachedMs + 15 * second),
    });
    await tests.anchor.runUntil(
      async () => (await tests.anchor.read(genuine)).status === 'settled',
      301 * (second / 3) + 5 * second,
    );
    const first = tests.anchor.polls.find(({ id }) => id === 'genuine');
    // Otherwise this would show nothing about late polls.
    expect((first?.atMs ?? 0) - attachedMs).toBeGreaterThan(20 * second);
    expect(await tests.anchor.read(genuine)).toMatchObject({ scored: true, unscoredReason: null });
    await tests.anchor.close();
  });
});

describe('a flood of new ids that does not end', () => {
  it('leaves paid transactions two looks in ten at least, and those that the anchor knows one', async () => {
    await tests.anchor.insert(...tests.invented(600, 40));
    const known = ids('known', 10).map((id) =>
      knownIntent({ id, nowMs: tests.anchor.now(), address: '192.0.2.1' }),
    );
    const paid = ids('paid', 20).map((id) => paidIntent({ id, nowMs: tests.anchor.now() }));
    await tests.anchor.insert(...known, ...paid);
    for (const { transactionId: id = '' } of [...known, ...paid])
      tests.anchor.records.set(id, { id, kind: 'withdrawal', status: 'pending_anchor' });
    await tests.anchor.runUntil(() => tests.anchor.polls.length >= 100, 30 * second);
    const first = new Set(tests.anchor.polls.slice(0, 50).map(({ id }) => id));
    const count = (kind: string) => [...first].filter((id) => id.startsWith(kind)).length;
    expect(count('paid')).toBeGreaterThanOrEqual(10);
    expect(count('known')).toBeGreaterThanOrEqual(5);
    await tests.anchor.close();
  });
});

function ids(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${kind}-${index}`);
}
