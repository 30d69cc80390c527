import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loseBatchesAfter, restoreFromDump } from '../../fixtures/publisher/lost-batches.js';
import { cardsOf, type PublisherInstance, publisherTests } from '../../fixtures/publisher/publisher.js';
import { testDatabase } from '../../support/database.js';

const tests = publisherTests(testDatabase());
let instance: PublisherInstance;
const servers: { closeAllConnections(): void; close(): void }[] = [];

beforeEach(async () => {
  instance = await tests.open();
});
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

let points = 0;

/** Publishes one more batch, with new scores. */
async function publish(by = instance) {
  points += 1;
  by.setCards(cardsOf(3, points));
  return by.tick();
}

/** An oracle that accepts batches but shows none: other requests get this status. */
async function mute(status: number): Promise<string> {
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
  it('is not continued, however often a tick runs, and health says why', async () => {
    for (let count = 0; count < 4; count += 1) await publish();
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
    }
    expect(tests.oracle.taken()).toHaveLength(4);
    expect(tests.oracle.arrivals()).toHaveLength(4);
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
    await publish();
    await publish();
    await publish();
    await loseBatchesAfter(instance, 2);
    const open = { open: true, announced: false, receipt: null, submittedAt: null };
    await instance.stored.batches.updateOne({ _id: 2 }, { $set: open });
    expect(await publish()).toMatchObject({ result: 'held', failure: 'log_behind', submitted: [2] });
    const [, second] = tests.oracle.taken();
    expect(await instance.publisher.log.get(2)).toMatchObject({ receipt: second?.receipt });
  });
});

describe('a log that the oracle finds whole', () => {
  it('is continued after it was restored from a dump', async () => {
    await publish();
    await restoreFromDump(instance);
    expect(await publish()).toMatchObject({ result: 'published', made: [2] });
  });

  it('is held while the oracle cannot be asked only where there is news', async () => {
    await publish();
    await tests.oracle.stop();
    points -= 1;
    expect(await publish()).toMatchObject({ result: 'unchanged', failure: null });
    expect(await publish()).toMatchObject({ result: 'held', failure: 'oracle_unreachable', made: [] });
  });
});

describe('a log of which no oracle tells', () => {
  it('is not continued after it was restored from a dump', async () => {
    const alone = await tests.open({ oracleUrl: undefined });
    await publish(alone);
    expect(await publish(alone)).toMatchObject({ result: 'published', made: [2] });
    await restoreFromDump(alone);
    expect(await publish(alone)).toMatchObject({ result: 'held', failure: 'log_restored', made: [] });
    expect(await alone.publisher.health()).toMatchObject({ status: 'failing', reason: 'log_restored' });
    expect(await publish(alone)).toMatchObject({ failure: 'log_restored' });
  });

  it.each([404, 405, 200])(
    'is judged the same way where the oracle takes batches and answers %i',
    async (status) => {
      const submitting = await tests.open({ oracleUrl: await mute(status) });
      await publish(submitting);
      expect(await publish(submitting)).toMatchObject({ result: 'published', submitted: [2] });
      await restoreFromDump(submitting);
      expect(await publish(submitting)).toMatchObject({ result: 'held', failure: 'log_restored' });
    },
  );

  it('is not continued after it was restored without its first batch, where the oracle shows nothing', async () => {
    const submitting = await tests.open({ oracleUrl: await mute(404) });
    await publish(submitting);
    await loseBatchesAfter(submitting, 0);
    await restoreFromDump(submitting);
    expect(await publish(submitting)).toMatchObject({ result: 'held', failure: 'log_restored', made: [] });
  });
});
