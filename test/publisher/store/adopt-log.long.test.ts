import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { toHex } from '../../../contract/verification/bytes.js';
import { decodePublicKey } from '../../../contract/verification/strkey.js';
import { batchHeaderHash } from '../../../contract/verification/verify-batch.js';
import { type ReferenceOracle, startReferenceOracle } from '../../../scripts/reference-oracle/index.js';
import {
  CannotAdopt,
  OracleAway,
  type WholeBatch,
} from '../../../server/features/publisher/missing-batches.js';
import { createSigner } from '../../../server/features/publisher/signer.rules.js';
import { adopting } from '../../fixtures/publisher/adopting.js';
import { loseBatchesAfter, restoreFromDump } from '../../fixtures/publisher/lost-batches.js';
import {
  allEntries,
  cardsOf,
  otherSeed,
  type PublisherInstance,
  publisherTests,
  testSeed,
  verifyLog,
} from '../../fixtures/publisher/publisher.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';

const tests = publisherTests(testDatabase());
const adopt = adopting();
const signer = createSigner(testSeed);
const otherSigner = createSigner(otherSeed);
const keys = [signer];
let instance: PublisherInstance;
let kept: WholeBatch[];
let other: ReferenceOracle | undefined;
afterEach(async () => {
  await other?.stop();
  other = undefined;
});

const archiveOf = (batches: readonly WholeBatch[]) => ({
  find: async (sequence: number) => batches.find(({ header }) => header.sequence === sequence) ?? null,
});

/** Publishes four batches, keeps them as an archive would, and loses the last two. */
async function publishAndLose(by: PublisherInstance, options = { awayAtLast: false }): Promise<void> {
  for (const points of [1, 2, 3, 4]) {
    if (options.awayAtLast && points === 4) tests.oracle.behave('fail', 'fail', 'fail');
    by.setCards(cardsOf(points === 3 ? 300 : 3, points));
    await by.tick();
  }
  kept = [];
  for (const { header, signature } of await verifyLog(by.publisher)) {
    kept.push({ header, signature, entries: await allEntries(by.publisher, header.sequence) });
  }
  await loseBatchesAfter(by, 2);
}

/** Starts another oracle, which took this many batches that another key signed. */
async function anotherOracle(count: number): Promise<string> {
  other = await startReferenceOracle({ clock: Date.now });
  const { keyId, publicKey, sign } = otherSigner;
  let previous: string | null = null;
  for (const { header: own, entries } of kept.slice(0, count)) {
    const header = { ...own, previous, keyId };
    const body = JSON.stringify({ header, signature: sign(header), publicKey, entries });
    await fetch(other.url, { method: 'POST', body });
    previous = batchHeaderHash(header);
  }
  expect(other.taken()).toHaveLength(count);
  return other.url;
}

/** What a reader remembers of the log. */
const headersOf = async (by: PublisherInstance) =>
  (await verifyLog(by.publisher)).map(({ header }) => header);

describe('adopting what the oracle has', () => {
  beforeEach(async () => {
    instance = await tests.open();
    await publishAndLose(instance);
  });

  it('brings the lost batches back, and the next tick their receipts and events, then a new batch', async () => {
    const before = tests.oracle.taken().map(({ receipt }) => receipt);
    const report = await adopt(instance, { oracleUrl: tests.oracle.url });
    expect(report).toMatchObject({
      adopted: [3, 4],
      head: { sequence: 4 },
      wholeBy: 'oracle',
      dropped: null,
    });
    expect(await headersOf(instance)).toEqual(kept.map(({ header }) => header));

    const eventsBefore = (await instance.events()).length;
    instance.setCards(cardsOf(3, 5));
    expect(await instance.tick()).toMatchObject({ result: 'published', made: [5], submitted: [3, 4, 5] });
    const log = await verifyLog(instance.publisher);
    expect(log.slice(0, 4).map(({ receipt }) => receipt)).toEqual(before);
    expect((await instance.events()).slice(eventsBefore)).toMatchObject([
      { sequence: 3 },
      { sequence: 4 },
      { sequence: 5 },
    ]);
    expect(await instance.publisher.health()).toMatchObject({ status: 'ok', pending: 0 });
  });

  it('changes nothing where nothing is missing, however often it is done', async () => {
    await adopt(instance, { oracleUrl: tests.oracle.url });
    const again = await adopt(instance, { oracleUrl: tests.oracle.url });
    expect(again).toMatchObject({ adopted: [], head: { sequence: 4 } });
    expect(await headersOf(instance)).toEqual(kept.map(({ header }) => header));
  });

  it('works on an empty database, if it is told the key', async () => {
    await loseBatchesAfter(instance, 0);
    await instance.stored.keys.deleteMany({});
    const { url: oracleUrl } = tests.oracle;
    await expect(adopt(instance, { oracleUrl })).rejects.toThrow('unknown_key');
    expect(await adopt(instance, { oracleUrl, keys })).toMatchObject({ adopted: [1, 2, 3, 4] });
  });

  it('is refused where the oracle is another one, which has other batches', async () => {
    await loseBatchesAfter(instance, 1);
    await expect(adopt(instance, { oracleUrl: await anotherOracle(1) })).rejects.toThrow('another batch 1');
    expect(await headersOf(instance)).toEqual([kept[0]?.header]);
  });

  it('says which head it found where another one was named', async () => {
    const { url: oracleUrl } = tests.oracle;
    await expect(adopt(instance, { oracleUrl, head: 5 })).rejects.toThrow('ends with batch 4, not with 5');
  });

  it('removes what an attempt that died has left', async () => {
    await instance.stored.state.updateOne({ _id: 'publisher' }, { $set: { attempt: 'died' } });
    await instance.stored.chunks.insertOne({
      _id: 'died:0',
      attempt: 'died',
      index: 0,
      lastKey: 'a',
    } as never);
    await adopt(instance, { oracleUrl: tests.oracle.url });
    expect(await instance.stored.chunks.countDocuments({ attempt: 'died' })).toBe(0);
  });

  it('does nothing while the oracle is away', async () => {
    const { url: oracleUrl } = tests.oracle;
    await tests.oracle.stop();
    await expect(adopt(instance, { oracleUrl })).rejects.toThrow(OracleAway);
    expect(await instance.stored.batches.countDocuments()).toBe(2);
  });

  it('does not call the log whole where the oracle goes away before it has confirmed the last batch', async () => {
    const archive = archiveOf(kept);
    const find = async (sequence: number) => {
      if (sequence === 5) await tests.oracle.stop();
      return archive.find(sequence);
    };
    const { url: oracleUrl } = tests.oracle;
    await expect(adopt(instance, { oracleUrl, archive: { find } })).rejects.toThrow(OracleAway);
  });
});

describe('adopting a last batch that was published while the oracle was away', () => {
  beforeEach(async () => {
    instance = await tests.open();
    await publishAndLose(instance, { awayAtLast: true });
    expect(tests.oracle.taken()).toHaveLength(3);
  });

  it('restores it from an archive, and the next tick submits it', async () => {
    const { url: oracleUrl } = tests.oracle;
    const report = await adopt(instance, { oracleUrl, archive: archiveOf(kept) });
    expect(report).toMatchObject({ adopted: [3, 4], head: { sequence: 4 }, wholeBy: 'oracle' });
    instance.setCards(cardsOf(3, 5));
    expect(await instance.tick()).toMatchObject({ result: 'published', made: [5], submitted: [3, 4, 5] });
    expect((await headersOf(instance)).slice(0, 4)).toEqual(kept.map(({ header }) => header));
  });

  it('is refused where the operator names it and no archive has it', async () => {
    const { url: oracleUrl } = tests.oracle;
    const given = { oracleUrl, archive: archiveOf(kept.slice(0, 3)), head: 4 };
    await expect(adopt(instance, given)).rejects.toThrow('ends with batch 3, not with 4');
  });
});

describe('adopting what an archive has', () => {
  beforeEach(async () => {
    instance = await tests.open({ oracleUrl: undefined });
    await publishAndLose(instance);
    await restoreFromDump(instance);
  });

  it('brings back all batches up to the one that the operator names, and publishing goes on', async () => {
    expect(await instance.tick()).toMatchObject({ result: 'held', failure: 'log_restored' });
    const report = await adopt(instance, { archive: archiveOf(kept), head: 4 });
    expect(report).toMatchObject({ adopted: [3, 4], wholeBy: 'operator' });
    instance.setCards(cardsOf(3, 5));
    expect(await instance.tick()).toMatchObject({ result: 'published', made: [5], failure: null });
    expect((await headersOf(instance)).slice(0, 4)).toEqual(kept.map(({ header }) => header));
  });

  it('only confirms the log where the operator names its head', async () => {
    expect(await adopt(instance, { head: 2 })).toMatchObject({ adopted: [], wholeBy: 'operator' });
    instance.setCards(cardsOf(3, 5));
    expect(await instance.tick()).toMatchObject({ result: 'published', made: [3] });
  });

  it('stores the key that is trusted, whatever the archive says of it', async () => {
    await instance.stored.keys.deleteMany({});
    const batches = kept.map((batch) => ({ ...batch, publicKey: 'x' }));
    const inHex = { keyId: signer.keyId, publicKey: toHex(decodePublicKey(signer.publicKey)) };
    await adopt(instance, { archive: archiveOf(batches), head: 4, keys: [inHex] });
    const { publicKey } = signer;
    expect(await instance.publisher.log.get(4)).toMatchObject({ publicKey });
    expect(await instance.stored.keys.find().toArray()).toMatchObject([{ publicKey }]);
  });

  it('is refused where nobody says which batch was the last', async () => {
    await expect(adopt(instance, { archive: archiveOf(kept) })).rejects.toThrow('--head');
    expect(await instance.tick()).toMatchObject({ failure: 'log_restored' });
  });

  /** The fault, the message of the refusal, and the input. */
  const refusals: [string, string, () => { batches: WholeBatch[]; head: number }][] = [
    ['the archive ends too early', 'Batch 4 cannot be had', () => ({ batches: kept.slice(0, 3), head: 4 })],
    ['the log has later batches than that', 'not with 1', () => ({ batches: kept, head: 1 })],
    [
      'an entry was changed',
      'root_mismatch',
      () => ({
        batches: kept.map((batch) => ({ ...batch, entries: [...batch.entries].reverse() })),
        head: 4,
      }),
    ],
    [
      'a header was changed',
      'bad_signature',
      () => ({
        batches: kept.map((batch) => ({
          ...batch,
          header: { ...batch.header, createdAt: '2026-11-22T00:00:00.000Z' },
        })),
        head: 4,
      }),
    ],
    [
      'another key signed',
      'unknown_key',
      () => {
        const resigned = kept.map((batch) => {
          const header = { ...batch.header, keyId: otherSigner.keyId };
          return { ...batch, header, signature: otherSigner.sign(header) };
        });
        return { batches: resigned, head: 4 };
      },
    ],
  ];

  it('is refused where something is missing or does not verify, and publishing stays stopped', async () => {
    for (const [what, message, given] of refusals) {
      const { batches, head } = given();
      const refused = adopt(instance, { archive: archiveOf(batches), head }).catch((error: unknown) => error);
      expectFor(what, await refused).toBeInstanceOf(CannotAdopt);
      expectFor(what, String(await refused)).toContain(message);
      await loseBatchesAfter(instance, 2);
    }
    expect(await instance.tick()).toMatchObject({ result: 'held', failure: 'log_restored' });
    await verifyLog(instance.publisher);
  });
});

describe('a log that was restored before its first batch', () => {
  it('is continued once the operator says that there was none', async () => {
    instance = await tests.open({ oracleUrl: undefined });
    instance.setCards([]);
    expect(await instance.tick()).toMatchObject({ result: 'empty' });
    await restoreFromDump(instance);
    instance.setCards(cardsOf(3, 1));
    expect(await instance.tick()).toMatchObject({ result: 'held', failure: 'log_restored' });
    expect(await adopt(instance, { head: 0 })).toMatchObject({ adopted: [], head: null });
    expect(await instance.tick()).toMatchObject({ result: 'published', made: [1] });
  });
});

describe('a batch that was made after the restore and that the oracle refuses', () => {
  beforeEach(async () => {
    instance = await tests.open();
    await publishAndLose(instance);
    // Such a batch comes from a release that did not ask the oracle first.
    const unaware = await tests.open({ oracleUrl: undefined });
    unaware.setCards(cardsOf(3, 77));
    await unaware.tick();
  });

  it('is withdrawn only if that is asked for; then the chain goes on as others know it', async () => {
    expect(await instance.tick()).toMatchObject({ result: 'held', failure: 'oracle_refused' });

    const { url: oracleUrl } = tests.oracle;
    await expect(adopt(instance, { oracleUrl })).rejects.toThrow('--drop-refused');
    expect(await adopt(instance, { oracleUrl, dropRefused: true })).toMatchObject({
      dropped: 3,
      adopted: [3, 4],
    });
    expect(await headersOf(instance)).toEqual(kept.map(({ header }) => header));
    instance.setCards(cardsOf(3, 5));
    expect(await instance.tick()).toMatchObject({ result: 'published', made: [5], failure: null });
  });

  it('stays where the batch that the oracle has instead does not verify', async () => {
    const before = await headersOf(instance);
    const given = { oracleUrl: await anotherOracle(3), dropRefused: true, keys: [otherSigner] };
    await expect(adopt(instance, given)).rejects.toThrow('broken_chain');
    expect(await headersOf(instance)).toEqual(before);

    await instance.stored.keys.deleteMany({});
    const { url: oracleUrl } = tests.oracle;
    await expect(adopt(instance, { oracleUrl, dropRefused: true })).rejects.toThrow('unknown_key');
    expect(await headersOf(instance)).toEqual(before);
  });
});
