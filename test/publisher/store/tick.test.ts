import { beforeEach, describe, expect, it } from '@jest/globals';
import { verifyEntry } from '../../../contract/verification/verify-batch.js';
import { maxEntries } from '../../../server/features/publisher/batch.rules.js';
import { LeaseLostError } from '../../../server/mongo/leases.js';
import {
  allEntries,
  cardsOf,
  type PublisherInstance,
  publisherTests,
  verifyLog,
} from '../../fixtures/publisher/publisher.js';
import { waitFor } from '../../support/wait-for.js';

const tests = publisherTests();
let instance: PublisherInstance;

beforeEach(async () => {
  instance = await tests.open();
});

const sequencesAtOracle = () => tests.oracle.taken().map(({ header }) => header.sequence);

describe('a tick', () => {
  it('publishes the cards in order, and the oracle, the log and the event agree', async () => {
    instance.setCards([...cardsOf(5)].reverse());
    const answer = await instance.tick();
    expect(answer).toMatchObject({ result: 'published', submitted: [1], pending: 0, failure: null });
    const [batch, ...others] = await verifyLog(instance.publisher);
    expect(others).toEqual([]);
    expect(answer.batch).toEqual(batch);
    expect(await allEntries(instance.publisher, 1)).toEqual(cardsOf(5));
    expect(tests.oracle.taken()).toMatchObject([{ header: batch?.header, receipt: batch?.receipt }]);
    const { root, size } = batch?.header ?? {};
    expect(await instance.events()).toEqual([
      { event: 'publisher.tick', sequence: 1, root, headerHash: batch?.headerHash, size, submitted: true },
    ]);
    expect((await instance.publisher.log.scores({})).batch?.sequence).toBe(1);
  });

  it('makes no batch from unchanged cards, and health stays ok', async () => {
    await instance.tick();
    for (let round = 0; round < 3; round += 1) {
      expect(await instance.tick()).toMatchObject({ result: 'unchanged', batch: null, submitted: [] });
    }
    expect(await instance.publisher.health()).toMatchObject({ status: 'ok', consecutiveFailures: 0 });
    expect(await instance.stored.batches.countDocuments()).toBe(1);
    expect(await instance.events()).toHaveLength(1);
  });

  it('makes a new batch from scores that return to earlier values, and the oracle takes it', async () => {
    for (const points of [50, 60, 50]) {
      instance.setCards(cardsOf(3, points));
      await instance.tick();
    }
    const [first, , third] = await verifyLog(instance.publisher);
    expect(third?.header.root).toBe(first?.header.root);
    expect(third?.headerHash).not.toBe(first?.headerHash);
    expect(sequencesAtOracle()).toEqual([1, 2, 3]);
    expect(await instance.events()).toHaveLength(3);
  });

  it('publishes nothing before the first card, and an empty batch after the last one is gone', async () => {
    instance.setCards([]);
    expect(await instance.tick()).toMatchObject({ result: 'empty', batch: null });
    expect(await instance.publisher.health()).toMatchObject({ status: 'idle', reason: 'nothing_published' });
    instance.setCards(cardsOf(2));
    await instance.tick();
    instance.setCards([]);
    expect((await instance.tick()).batch?.header).toMatchObject({ sequence: 2, size: 0 });
    expect(await verifyLog(instance.publisher)).toHaveLength(2);
    expect(sequencesAtOracle()).toEqual([1, 2]);
  });

  it('refuses two cards of one anchor and corridor, reports it in health, and publishes nothing', async () => {
    instance.setCards([...cardsOf(2), ...cardsOf(1)]);
    await expect(instance.tick()).rejects.toThrow('two cards for anchor-000000 usdc-kes');
    expect(await instance.publisher.health()).toMatchObject({
      status: 'failing',
      reason: 'internal',
      running: null,
      latest: null,
    });
    instance.setCards(cardsOf(2));
    await instance.tick();
    expect(await instance.publisher.health()).toMatchObject({ status: 'ok', consecutiveFailures: 0 });
  });

  it('publishes 10,000 cards, holds the log at one more, and health says why', async () => {
    instance.setCards(cardsOf(maxEntries));
    expect(await instance.tick()).toMatchObject({
      result: 'published',
      batch: { header: { size: maxEntries } },
    });
    instance.setCards(cardsOf(maxEntries + 1));
    expect(await instance.tick()).toMatchObject({ result: 'held', failure: 'too_many_entries', made: [] });
    expect(await instance.publisher.health()).toMatchObject({
      status: 'failing',
      reason: 'too_many_entries',
    });
    expect((await instance.publisher.log.scores({})).standsStillSince).not.toBeNull();
    const { entry, ...claim } = await instance.publisher.log.prove(1, {
      anchor: 'anchor-004999',
      corridor: 'usdc-ngn',
    });
    expect(verifyEntry({ ...claim, entry, header: claim.batch.header })).toBe(true);
  }, 30_000);

  it('runs on one of two instances that tick at once; the other gets its start time', async () => {
    const other = await tests.open();
    const [one, two] = await Promise.all([instance.publisher.tick(), other.publisher.tick()]);
    expect([one.ran, two.ran].sort()).toEqual([false, true]);
    const refused = one.ran ? two : one;
    expect(refused).toEqual({ ran: false, startedAt: expect.stringMatching(/Z$/) });
    expect(sequencesAtOracle()).toEqual([1]);
    expect(tests.oracle.arrivals()).toHaveLength(1);
    expect(await verifyLog(other.publisher)).toHaveLength(1);
  });
});

describe('publishing without an oracle', () => {
  it('submits earlier batches in order once there is an oracle', async () => {
    const alone = await tests.open({ oracleUrl: undefined });
    for (const points of [50, 60, 70]) {
      alone.setCards(cardsOf(3, points));
      await alone.tick();
    }
    expect(await instance.publisher.health()).toMatchObject({ pending: 3, lastSubmission: null });
    instance.setCards(cardsOf(3, 70));
    expect(await instance.tick()).toMatchObject({ result: 'unchanged', submitted: [1, 2, 3], pending: 0 });
    expect(sequencesAtOracle()).toEqual([1, 2, 3]);
    expect((await instance.events()).slice(3)).toMatchObject([
      { sequence: 1, submitted: true },
      { sequence: 2, submitted: true },
      { sequence: 3, submitted: true },
    ]);
  });
});

describe('a tick that ends early', () => {
  it('because the service stops is not a failure, and the next tick continues it', async () => {
    tests.oracle.behave('hang');
    const stopping = instance.publisher.tick();
    await waitFor(async () => expect(tests.oracle.arrivals().length).toBe(1));
    expect(await instance.publisher.health()).toMatchObject({ running: { startedAt: expect.any(String) } });
    instance.leases.stop();
    await expect(stopping).rejects.toThrow(LeaseLostError);
    const other = await tests.open();
    expect(await other.publisher.health()).toMatchObject({
      running: null,
      consecutiveFailures: 0,
      pending: 1,
    });
    expect(await other.tick()).toMatchObject({ submitted: [1], pending: 0 });
  });
});
