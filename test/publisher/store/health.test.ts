import { beforeEach, describe, expect, it } from '@jest/globals';
import { cardsOf, type PublisherInstance, publisherTests } from '../../fixtures/publisher/publisher.js';
import { testDatabase } from '../../support/database.js';

const tests = publisherTests(testDatabase());
let instance: PublisherInstance;

beforeEach(async () => {
  instance = await tests.open();
});

/** An instance that considers everything older than a few milliseconds late. */
const impatient = () => tests.open({ tickIntervalMs: 0.001 });

describe('the health of the publisher', () => {
  it('is idle before the first tick, and shows the key that batches will be signed with', async () => {
    const health = await instance.publisher.health();
    expect(health).toMatchObject({
      status: 'idle',
      reason: 'nothing_published',
      lastTick: null,
      latest: null,
      lastSubmission: null,
      pending: 0,
      keys: [{ keyId: 'd7e1e084be213b01', current: true }],
    });
  });

  it('is ok after a tick, with the batch and its submission', async () => {
    const { batch } = await instance.tick();
    const health = await instance.publisher.health();
    expect(health).toMatchObject({
      status: 'ok',
      reason: null,
      running: null,
      lastTick: { result: 'published', failure: null },
      latest: { sequence: 1, headerHash: batch?.headerHash, root: batch?.header.root },
      lastSubmission: { sequence: 1, headerHash: batch?.headerHash, submittedAt: batch?.submittedAt },
      oracle: true,
      pending: 0,
    });
  });

  it('is stale once no tick has ended for three intervals', async () => {
    await instance.tick();
    const late = await impatient();
    expect(await late.publisher.health()).toMatchObject({ status: 'stale', reason: 'no_tick' });
    expect(await instance.publisher.health()).toMatchObject({ status: 'ok' });
  });

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

  it('shows the start time of the running tick', async () => {
    let during: unknown;
    const watched = await tests.open({
      onStep: async (step) => {
        if (step === 'header_committed') during = await instance.publisher.health();
      },
    });
    watched.setCards(cardsOf(2));
    const { startedAt } = await watched.tick();
    expect(during).toMatchObject({
      status: 'ok',
      running: { startedAt },
      latest: { sequence: 1 },
      lastSubmission: null,
      pending: 1,
    });
  });
});
