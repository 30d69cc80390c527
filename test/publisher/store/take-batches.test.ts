import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BatchKey } from '../../../contract/verification/verify-batch.js';
import { createSigner } from '../../../server/features/publisher/batch.rules.js';
import { createOracle } from '../../../server/features/publisher/oracle.js';
import { createBatchStore } from '../../../server/features/publisher/store.js';
import { createTakeBatches, type WholeBatch } from '../../../server/features/publisher/take-batches.js';
import { createInLeasedTransaction, createInTransaction } from '../../../server/mongo/transactions.js';
import { createOutbound } from '../../../server/outbound/outbound.js';
import { originsOfOperator } from '../../../server/outbound/vet-url.js';
import {
  allEntries,
  cardsOf,
  loseBatchesAfter,
  otherSeed,
  type PublisherInstance,
  publisherTests,
  testSeed,
  verifyLog,
} from '../../fixtures/publisher/publisher.js';

const tests = publisherTests();
const connectors: { close(): Promise<void> }[] = [];
let instance: PublisherInstance;
let published: WholeBatch[];

interface Sources {
  oracleUrl?: string;
  file?: readonly WholeBatch[];
  keys?: readonly BatchKey[];
}

/** The command without its command line. */
async function take({ oracleUrl, file = [], keys = [] }: Sources) {
  const outbound = createOutbound({ allow: originsOfOperator([oracleUrl]) });
  connectors.push(outbound);
  const { connection, leases } = instance;
  const run = await createTakeBatches({
    batches: createBatchStore(connection),
    leases,
    inLeasedTransaction: createInLeasedTransaction(createInTransaction(connection)),
    oracle:
      oracleUrl === undefined ? undefined : createOracle({ url: oracleUrl, outbound: outbound.request }),
    file,
    keys,
  })();
  if (!run.ran) throw new Error('a tick runs');
  return run.value;
}

const headers = async () => (await verifyLog(instance.publisher)).map(({ header }) => header);
const third = () => published[2] as WholeBatch;

/** Publishes four batches, and loses the last two. */
beforeEach(async () => {
  instance = await tests.open();
  for (const points of [1, 2, 3, 4]) {
    instance.setCards(cardsOf(points === 3 ? 300 : 3, points));
    await instance.tick();
  }
  published = [];
  for (const { header, signature } of await verifyLog(instance.publisher)) {
    published.push({ header, signature, entries: await allEntries(instance.publisher, header.sequence) });
  }
  await loseBatchesAfter(instance, 2);
});
afterEach(async () => {
  for (const each of connectors.splice(0)) await each.close();
});

describe('taking the batches that a restored database lacks', () => {
  it.each<[string, () => Sources]>([
    ['the oracle', () => ({ oracleUrl: tests.oracle.url })],
    ['a file', () => ({ file: published })],
    ['a file with one of them, and the oracle', () => ({ file: [third()], oracleUrl: tests.oracle.url })],
  ])(
    'brings them back from %s; the next tick gets their receipts, writes their events, and goes on',
    async (_from, sources) => {
      const receipts = tests.oracle.taken().map(({ receipt }) => receipt);
      const eventsBefore = (await instance.events()).length;
      expect(await take(sources())).toMatchObject({ taken: [3, 4], head: { sequence: 4 } });
      expect(await take(sources())).toMatchObject({ taken: [], head: { sequence: 4 } });
      expect(await headers()).toEqual(published.map(({ header }) => header));
      instance.setCards(cardsOf(3, 5));
      expect(await instance.tick()).toMatchObject({ result: 'published', made: [5], submitted: [3, 4, 5] });
      const log = await verifyLog(instance.publisher);
      expect(log.slice(0, 4).map(({ receipt }) => receipt)).toEqual(receipts);
      const events = (await instance.events()).slice(eventsBefore);
      expect(events).toMatchObject([{ sequence: 3 }, { sequence: 4 }, { sequence: 5 }]);
      expect(await instance.publisher.health()).toMatchObject({ status: 'ok', pending: 0 });
    },
  );

  it('works on an empty database, if it is told the key', async () => {
    await loseBatchesAfter(instance, 0);
    const { url: oracleUrl } = tests.oracle;
    await expect(take({ oracleUrl })).rejects.toThrow('None of the keys');
    expect(await take({ oracleUrl, keys: [createSigner(testSeed)] })).toMatchObject({ taken: [1, 2, 3, 4] });
  });

  it.each<[string, string, () => WholeBatch]>([
    [
      'has an entry changed',
      'Batch 3: The entries',
      () => changed((entry) => ({ ...entry, score: '100.00' })),
    ],
    [
      'lacks an entry',
      'Batch 3: There are more or fewer',
      () => ({ ...third(), entries: third().entries.slice(1) }),
    ],
    [
      'follows another batch',
      'Batch 3: The header does not follow',
      () => ({ ...third(), header: { ...third().header, previous: 'ab'.repeat(32) } }),
    ],
    ['is signed by another key', 'Batch 3: None of the keys', otherSigned],
    [
      'bears a signature of something else',
      'Batch 3: The signature',
      () => ({ ...third(), signature: published[1]?.signature ?? '' }),
    ],
  ])('takes no batch that %s', async (_fault, message, batch) => {
    await expect(take({ file: [batch()] })).rejects.toThrow(message);
    expect(await headers()).toHaveLength(2);
  });

  it('fails, and changes nothing, while the oracle is away', async () => {
    const { url: oracleUrl } = tests.oracle;
    await tests.oracle.stop();
    await expect(take({ oracleUrl })).rejects.toThrow();
    expect(await headers()).toHaveLength(2);
  });
});

function changed(change: (entry: object) => object): WholeBatch {
  return { ...third(), entries: third().entries.map((entry, at) => (at === 7 ? change(entry) : entry)) };
}

function otherSigned(): WholeBatch {
  const { keyId, sign } = createSigner(otherSeed);
  const header = { ...third().header, keyId };
  return { ...third(), header, signature: sign(header) };
}
