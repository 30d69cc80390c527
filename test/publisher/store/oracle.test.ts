import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listenOnLoopback } from '../../../scripts/lib/loopback-server.js';
import { createOracle } from '../../../server/features/publisher/oracle.js';
import type { Logger } from '../../../server/ports.js';
import {
  cardsOf,
  loseBatchesAfter,
  otherSeed,
  type PublisherInstance,
  publisherTests,
} from '../../fixtures/publisher/publisher.js';
import { silentLogger } from '../../support/silent-logger.js';

const tests = publisherTests();
let instance: PublisherInstance;

beforeEach(async () => {
  instance = await tests.open();
});

const sequencesAtOracle = () => tests.oracle.taken().map(({ header }) => header.sequence);

describe('an oracle that does not take the batch', () => {
  it.each(['fail', 'lose'] as const)('gets the same header again at the next tick: %s', async (behavior) => {
    tests.oracle.behave(behavior);
    expect(await instance.tick()).toMatchObject({ result: 'published', submitted: [], pending: 1 });
    expect(await instance.tick()).toMatchObject({ result: 'unchanged', submitted: [1], failure: null });
    expect(tests.oracle.arrivals().map(([sequence]) => sequence)).toEqual([1, 1]);
    expect(sequencesAtOracle()).toEqual([1]);
    expect(await instance.events()).toHaveLength(1);
  });

  it('makes the tick give up; the batch waits and is submitted before a new one, and health reports it', async () => {
    tests.oracle.behave('fail');
    expect(await instance.tick()).toMatchObject({ submitted: [], pending: 1, failure: 'oracle_error' });
    expect(await instance.events()).toEqual([]);
    expect(await instance.publisher.health()).toMatchObject({
      status: 'failing',
      reason: 'oracle_error',
      pending: 1,
      consecutiveFailures: 1,
      lastSubmission: null,
      lastTick: { result: 'published', failure: 'oracle_error' },
    });

    instance.setCards(cardsOf(3, 60));
    tests.oracle.behave('fail');
    expect(await instance.tick()).toMatchObject({ result: 'held', batch: null, pending: 1 });
    expect(await instance.publisher.health()).toMatchObject({ status: 'failing', consecutiveFailures: 2 });
    expect((await instance.publisher.log.scores({})).batch?.sequence).toBe(1);

    expect(await instance.tick()).toMatchObject({ result: 'published', submitted: [1, 2], pending: 0 });
    expect(await instance.publisher.health()).toMatchObject({ status: 'ok', consecutiveFailures: 0 });
    expect(sequencesAtOracle()).toEqual([1, 2]);
    expect(await instance.events()).toMatchObject([{ sequence: 1 }, { sequence: 2 }]);
  });

  it('and does not answer is reported as unreachable, and no batch is made that it may have another of', async () => {
    await tests.oracle.stop();
    const held = { result: 'held', failure: 'oracle_unreachable', made: [], pending: 0 };
    expect(await instance.tick()).toMatchObject(held);
    expect(await instance.publisher.health()).toMatchObject({ status: 'failing', latest: null });
  });

  it('is not blamed for a fault of the service itself', async () => {
    const outbound = () => Promise.reject(new TypeError('a fault of our own'));
    await expect(createOracle({ url: tests.oracle.url, outbound }).head()).rejects.toThrow(TypeError);
  });

  it('because it holds another batch of this sequence is asked once per tick, and an error is logged', async () => {
    const stranger = await tests.open({ secretKey: otherSeed });
    await stranger.tick();
    await instance.connection.dropDatabase();
    // It published its first batch before an oracle was configured.
    await (await tests.open({ oracleUrl: undefined })).tick();
    const errors: object[] = [];
    const logger: Logger = { ...silentLogger, error: (fields) => errors.push(fields) };
    const late = await tests.open({ logger });
    expect(await late.tick()).toMatchObject({ failure: 'oracle_refused', pending: 1 });
    expect(errors).toMatchObject([
      { failure: 'oracle_refused', detail: expect.stringContaining('conflict') },
    ]);
    expect(tests.oracle.arrivals()).toHaveLength(2);
    expect(await late.publisher.health()).toMatchObject({ status: 'failing', reason: 'oracle_refused' });
  });

  it('but half of its body gets the whole of it at the next tick', async () => {
    const oracleUrl = await oracleThat((request, response) => {
      if (request.method !== 'POST') return response.writeHead(404).end();
      return request.once('readable', () => request.read(40) && request.socket.destroy());
    });
    const broken = await tests.open({ oracleUrl });
    expect(await broken.tick()).toMatchObject({ failure: 'oracle_unreachable', submitted: [], pending: 1 });
    expect(await instance.tick()).toMatchObject({ result: 'unchanged', submitted: [1], pending: 0 });
    expect(sequencesAtOracle()).toEqual([1]);
  });

  it('but answers with a receipt for another batch gets no batch marked as submitted', async () => {
    await instance.tick();
    const [first] = tests.oracle.taken();
    const oracleUrl = await oracleThat((request, response) => {
      // It does not show what it took.
      if (request.method !== 'POST') return response.writeHead(404).end();
      return request.resume().on('end', () => response.writeHead(201).end(JSON.stringify(first?.receipt)));
    });
    const misled = await tests.open({ oracleUrl });
    misled.setCards(cardsOf(3, 60));
    expect(await misled.tick()).toMatchObject({ failure: 'oracle_receipt', submitted: [], pending: 1 });

    instance.setCards(cardsOf(3, 60));
    expect(await instance.tick()).toMatchObject({ result: 'unchanged', submitted: [2], pending: 0 });
  });
});

const stops: (() => Promise<void>)[] = [];
let points = 0;

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Publishes one more batch, with new scores. */
async function publish(by = instance) {
  points += 1;
  by.setCards(cardsOf(3, points));
  return by.tick();
}

/** An oracle that takes batches; other requests get this status. */
function answering(status: number): Promise<string> {
  const { url } = tests.oracle;
  return oracleThat(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(status).end();
    const body = Buffer.concat(await request.toArray());
    const answer = await fetch(url, { method: 'POST', body });
    return response.writeHead(answer.status).end(await answer.text());
  });
}

describe('a log that lacks batches which the oracle has', () => {
  it('is not continued, however often a tick runs; health and the scores say so, until the batches are back', async () => {
    for (let count = 0; count < 4; count += 1) await publish();
    const lost = await instance.stored.batches.find({ _id: { $gt: 2 } }).toArray();
    await loseBatchesAfter(instance, 2);
    for (const failures of [1, 2]) {
      const held = { result: 'held', failure: 'log_behind', made: [], submitted: [], batch: null };
      expect(await publish()).toMatchObject(held);
      expect(await instance.publisher.health()).toMatchObject({
        status: 'failing',
        reason: 'log_behind',
        consecutiveFailures: failures,
        latest: { sequence: 2 },
      });
      expect((await instance.publisher.log.scores({})).standsStillSince).not.toBeNull();
    }
    expect(tests.oracle.arrivals()).toHaveLength(4);
    await instance.stored.batches.insertMany(lost);
    expect(await publish()).toMatchObject({ result: 'published', made: [5] });
    expect((await instance.publisher.log.scores({})).standsStillSince).toBeNull();
  });

  it('is noticed where nothing is left of it', async () => {
    await publish();
    await instance.connection.dropDatabase();
    const again = await tests.open();
    expect(await publish(again)).toMatchObject({ result: 'held', failure: 'log_behind', made: [] });
    expect((await again.publisher.log.scores({})).batch).toBeNull();
  });

  it('is noticed after a batch that waited for its receipt has got it', async () => {
    for (let count = 0; count < 3; count += 1) await publish();
    await loseBatchesAfter(instance, 2);
    const open = { open: true, receipt: null, submittedAt: null };
    await instance.stored.batches.updateOne({ _id: 2 }, { $set: open });
    expect(await publish()).toMatchObject({ result: 'held', failure: 'log_behind', submitted: [2] });
    const [, second] = tests.oracle.taken();
    expect(await instance.publisher.log.get(2)).toMatchObject({ receipt: second?.receipt });
  });
});

describe('an oracle that takes batches', () => {
  it.each([
    { status: 503, result: 'held', failure: 'oracle_error' },
    { status: 401, result: 'held', failure: 'oracle_error' },
    // It shows nothing, so that a restored log is told by nobody.
    { status: 404, result: 'published', failure: null },
    { status: 405, result: 'published', failure: null },
  ])('and answers $status to the question for its head: $result', async ({ status, ...expected }) => {
    const submitting = await tests.open({ oracleUrl: await answering(status) });
    expect(await publish(submitting)).toMatchObject(expected);
  });
});

async function oracleThat(answers: RequestListener): Promise<string> {
  const { origin, stop } = await listenOnLoopback(answers);
  stops.push(stop);
  return `${origin}/batches`;
}
