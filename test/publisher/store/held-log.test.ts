import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loseBatchesAfter } from '../../fixtures/publisher/lost-batches.js';
import { cardsOf, type PublisherInstance, publisherTests } from '../../fixtures/publisher/publisher.js';
import { testDatabase } from '../../support/database.js';

const tests = publisherTests(testDatabase());
let instance: PublisherInstance;
const servers: { closeAllConnections(): void; close(): void }[] = [];
let points = 0;

beforeEach(async () => {
  instance = await tests.open();
});
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Publishes one more batch, with new scores. */
async function publish(by = instance) {
  points += 1;
  by.setCards(cardsOf(3, points));
  return by.tick();
}

/** An oracle that takes batches; other requests get this status. */
async function answering(status: number): Promise<string> {
  const { url } = tests.oracle;
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(status).end();
    const body = Buffer.concat(await request.toArray());
    const answer = await fetch(url, { method: 'POST', body });
    return response.writeHead(answer.status).end(await answer.text());
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/batches`;
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
      expect(await instance.publisher.heldSince()).toBeInstanceOf(Date);
    }
    expect(tests.oracle.arrivals()).toHaveLength(4);
    await instance.stored.batches.insertMany(lost);
    expect(await publish()).toMatchObject({ result: 'published', made: [5] });
    expect(await instance.publisher.heldSince()).toBeNull();
  });

  it('is noticed when there is nothing new to publish, too', async () => {
    await publish();
    await publish();
    await loseBatchesAfter(instance, 1);
    points -= 2;
    expect(await publish()).toMatchObject({ result: 'held', failure: 'log_behind' });
  });

  it('is noticed where nothing is left of it', async () => {
    await publish();
    await instance.connection.dropDatabase();
    const again = await tests.open();
    expect(await publish(again)).toMatchObject({ result: 'held', failure: 'log_behind', made: [] });
    expect(await again.publisher.latestSequence()).toBeNull();
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

  it('and is away holds the log, and the next tick goes on once it is back', async () => {
    await publish();
    const away = await tests.open({ oracleUrl: 'http://127.0.0.1:1/batches' });
    expect(await publish(away)).toMatchObject({ result: 'held', failure: 'oracle_unreachable', made: [] });
    expect(await publish()).toMatchObject({ result: 'published', made: [2] });
  });
});
