import { beforeEach, describe, expect, it } from '@jest/globals';
import { decodePublicKey } from '../../../contract/verification/strkey.js';
import { batchKeyId } from '../../../contract/verification/verify-batch.js';
import { startReferenceOracle } from '../../../scripts/reference-oracle/index.js';
import {
  cardsOf,
  otherSeed,
  type PublisherInstance,
  publisherTests,
  verifyLog,
} from '../../fixtures/publisher/publisher.js';

const tests = publisherTests();
let instance: PublisherInstance;

beforeEach(async () => {
  instance = await tests.open();
});

describe('the health of the publisher', () => {
  it('is stale, not idle, if there are batches but no tick was ever recorded', async () => {
    await instance.tick();
    await instance.stored.state.deleteMany({});
    expect(await instance.publisher.health()).toMatchObject({ status: 'stale', reason: 'no_tick' });
  });

  it('is the same whichever instance is asked', async () => {
    const other = await tests.open();
    tests.oracle.behave('fail');
    await instance.tick();
    const { checkedAt: _, ...here } = await instance.publisher.health();
    expect(await other.publisher.health()).toMatchObject(here);
    expect(here).toMatchObject({ status: 'failing', reason: 'oracle_error', pending: 1 });
  });

  it('treats a tick as running while its lease is held, and as failed once the lease has expired', async () => {
    await instance.tick();
    const dead = { running: { token: 0, startedAt: new Date('2026-01-01T00:00:00.000Z') } };
    await instance.stored.state.updateOne({ _id: 'publisher' }, { $set: dead });
    expect(await instance.publisher.health()).toMatchObject({
      status: 'failing',
      reason: 'interrupted',
      running: null,
      lastTick: { startedAt: '2026-01-01T00:00:00.000Z', finishedAt: null, failure: 'interrupted' },
      consecutiveFailures: 1,
    });
    // The next tick finds the interrupted one, records it, and then does its own work.
    await instance.tick();
    expect(await instance.publisher.health()).toMatchObject({ status: 'ok', consecutiveFailures: 0 });
  });
});

describe('publisher keys', () => {
  it('signs nothing without a key, submits what is signed already, and is idle in health', async () => {
    tests.oracle.behave('fail');
    await instance.tick();
    const keyless = await tests.open({ secretKey: undefined });
    keyless.setCards(cardsOf(3, 60));
    expect(await keyless.tick()).toMatchObject({ result: 'no_key', submitted: [1], pending: 0 });
    const health = await keyless.publisher.health();
    expect(health).toMatchObject({ status: 'idle', reason: 'no_key', latest: { sequence: 1 } });
    expect(health.keys).toMatchObject([{ current: false }]);
  });

  it('continues the chain after a rotation, and keeps listing every key that signed a batch', async () => {
    const lenient = await startReferenceOracle({
      clock: Date.now,
      keys: await Promise.all([instance, await tests.open({ secretKey: otherSeed })].map(currentKey)),
    });
    const unused = '17'.repeat(32);
    const [before, after] = [
      await tests.open({ oracleUrl: lenient.url }),
      await tests.open({ oracleUrl: lenient.url, secretKey: otherSeed, oldKeys: [unused] }),
    ];
    await before.tick();
    after.setCards(cardsOf(3, 60));
    await after.tick();
    const batches = await verifyLog(after.publisher);
    expect(new Set(batches.map(({ header }) => header.keyId)).size).toBe(2);
    expect(lenient.taken()).toHaveLength(2);

    const { keys } = await after.publisher.health();
    expect(keys.map(({ current }) => current)).toEqual([true, false, false]);
    expect(keys.map(({ keyId }) => keyId)).toEqual([
      batches[1]?.header.keyId,
      batches[0]?.header.keyId,
      batchKeyId(Buffer.from(unused, 'hex')),
    ]);
    for (const { keyId, publicKey } of keys) expect(batchKeyId(decodePublicKey(publicKey))).toBe(keyId);
    await lenient.stop();
  });
});

async function currentKey({ publisher }: PublisherInstance): Promise<string> {
  const { keys } = await publisher.health();
  return keys.find(({ current }) => current)?.publicKey ?? '';
}
