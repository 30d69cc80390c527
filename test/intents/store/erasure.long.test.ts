import { afterAll, describe, expect, it } from '@jest/globals';
import { encodePublicKey } from '../../../contract/verification/strkey.js';
import { createDisputeStore, type DisputeDocument } from '../../../server/features/disputes/store.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { createIntentStore } from '../../../server/features/intents/store.js';
import { insertIntents, unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { allEntries, publisherInstance, verifyLog } from '../../fixtures/publisher/publisher.js';
import {
  anchor,
  openFeature,
  openReputationParts,
  totals,
} from '../../fixtures/reputation/reputation-parts.js';
import { failed, noon, settled } from '../../fixtures/reputation/stored-outcomes.js';
import { runFairlead } from '../../support/compiled-service.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const dayMs = 86_400_000;
const page = { limit: undefined, cursor: undefined };
const account = encodePublicKey(new Uint8Array(32).fill(7));
const neighbour = encodePublicKey(new Uint8Array(32).fill(8));

const fixture = await openReputationParts(uri);
const feature = openFeature(fixture, {
  fleet: { anchors: [anchor('harbour', ['usdc-ngn'])], speedTargets: { 'usdc-ngn': 600 } },
  now: () => noon.getTime(),
});
afterAll(() => fixture.close());

const erase = (...args: string[]) => runFairlead(['erase', ...args], { MONGODB_URI: uri });

/** Every document of the database as text, except the server's own log. */
async function everything(): Promise<string> {
  const collections = (await fixture.connection.db?.listCollections().toArray()) ?? [];
  const texts: string[] = [];
  for (const { name } of collections)
    texts.push(JSON.stringify(await fixture.connection.collection(name).find().toArray()));
  return texts.join('\n');
}

async function cards() {
  await feature.refreshNow();
  const asked = { anchorId: 'harbour', corridor: null, window: 90, ...page } as const;
  const [scores, history] = [
    await feature.scores.getPublicScores(page),
    await feature.service.getHistory(asked),
  ];
  return [scores.items, history.items];
}

/** All sums, but for the accounts: an account that was erased has another name on each day. */
async function counts() {
  await feature.refreshNow();
  const { newAccountOutcomes: _, ...sums } = await totals(fixture);
  return sums;
}

describe('erasing an account', () => {
  it('leaves nothing of it, and every count, card and published proof as it was', async () => {
    const old = Array.from({ length: 40 }, (_, index) => ended(index, 40 + (index % 20)));
    const others = Array.from({ length: 40 }, (_, index) =>
      ended(100 + index, 40 + (index % 20), { account: neighbour }),
    );
    // Four on one day, of which three count.
    const crowd = [50, 51, 52].map((index) => ended(index, 41));
    const lost = ended(60, 45, {
      status: 'failed',
      outcome: failed({ recordedAt: new Date(noon.getTime() - 45 * dayMs) }),
    });
    await insertIntents(fixture.connection, ...old, ...crowd, ...others, lost);
    const disputes = fixture.connection.collection<DisputeDocument>('disputes');
    const [first, second] = old.map(({ _id }) => _id);
    await disputes.insertMany([disputeOf(first ?? '', 'accepted'), disputeOf(second ?? '', 'rejected')]);
    const $set = { disputeEffect: 'counts_not_filled' } as const;
    await fixture.stored.intents.updateOne({ _id: first ?? '' }, { $set });
    const [counted, shown] = [await counts(), await cards()];
    const publisher = await publisherInstance({ uri, oracleUrl: undefined });
    publisher.setCards((await feature.publishedCards()).cards);
    try {
      await publisher.tick();
      const before = await verifyLog(publisher.publisher);
      const entries = await allEntries(publisher.publisher, 1);
      const tried = await erase(account, '--dry-run');
      expect(tried).toMatchObject({ status: 0, stderr: '' });
      expect(JSON.parse(tried.stdout)).toMatchObject({ erased: 44, kept: {}, dryRun: true });
      expect(await everything()).toContain(account);
      const done = await erase(account);
      expect(done).toMatchObject({ status: 0, stderr: '' });
      expect(JSON.parse(done.stdout)).toMatchObject({ erased: 44, kept: {} });

      const left = await everything();
      for (const word of [account, 'Ada']) expect(left).not.toContain(word);
      for (const { _id, transactionId = '' } of [...old, ...crowd, lost]) {
        expect(left).not.toContain(_id);
        expect(left).not.toContain(`"${transactionId}"`);
      }
      expect(await createIntentStore(fixture.connection).findByHash(first ?? '')).toBeNull();
      for (const { _id } of others) expect(left).toContain(_id);
      expect(await disputes.countDocuments()).toBe(0);

      expect(await counts()).toEqual(counted);
      expect(await cards()).toEqual(shown);
      await fixture.markEveryDay();
      expect(await counts()).toEqual(counted);
      expect(await verifyLog(publisher.publisher)).toEqual(before);
      expect(await allEntries(publisher.publisher, 1)).toEqual(entries);
      expect(await publisher.tick()).toMatchObject({ result: 'unchanged' });
    } finally {
      await publisher.close();
    }
  });

  it('keeps what can still be disputed, is not over, or counts together with it, and says why', async () => {
    const recent = ended(200, 5);
    const open = unpaidIntent(201, { account });
    const disputed = ended(202, 50);
    const sameDay = ended(203, 50);
    const old = ended(204, 60);
    const unpaid = failed({ recordedAt: new Date(noon.getTime() - 70 * dayMs) });
    const outcome = { ...unpaid, kind: 'expired', reason: 'never_funded' } as const;
    const never = ended(205, 70, { status: 'expired', outcome });
    await insertIntents(fixture.connection, recent, open, disputed, sameDay, old, never);
    const disputes = createDisputeStore(fixture.connection);
    await fixture.inTransaction((session) => disputes.insert(session, disputeOf(disputed._id, 'open')));
    const counted = await counts();
    const done = await erase(account);
    expect(done.status).toBe(1);
    const kept = { recent: 1, open: 1, disputed: 2 };
    expect(JSON.parse(done.stdout)).toMatchObject({ erased: 2, kept });
    const store = createIntentStore(fixture.connection);
    for (const { _id } of [recent, open, disputed, sameDay])
      expect(await store.findByHash(_id)).not.toBeNull();
    for (const { _id } of [old, never]) expect(await store.findByHash(_id)).toBeNull();
    expect(await counts()).toEqual(counted);
  });

  it('changes nothing for a text that is no account', async () => {
    const stderr = expect.stringContaining('Not an account');
    expect(await erase('GABC')).toMatchObject({ status: 2, stderr });
    expect(await erase()).toMatchObject({ status: 2 });
  });
});

/** A paid intent that ended this many days ago; its transaction id contains its index. */
function ended(index: number, daysAgo: number, changes: Partial<Intent> = {}): Intent {
  const recordedAt = new Date(noon.getTime() - daysAgo * dayMs);
  return unpaidIntent(index, {
    account,
    sellAmount: '123.4567',
    createdAt: recordedAt,
    status: 'settled',
    open: false,
    transactionId: `transaction-${index}`,
    amountIn: '123.4567',
    outcome: settled({ recordedAt, settleSeconds: 70, timesKnown: true, amountOut: '185185.05' }),
    ...changes,
  });
}

function disputeOf(intentHash: string, status: DisputeDocument['status']): DisputeDocument {
  const at = new Date(noon.getTime() - 39 * dayMs);
  return {
    _id: `dsp_${intentHash.slice(-8)}`,
    intentHash,
    anchorId: 'harbour',
    corridor: 'usdc-ngn',
    filedBy: 'account',
    publicKey: account,
    reason: 'My bank has nothing, says Ada.',
    status,
    outcomeStatus: 'settled',
    effect: 'counts_not_filled',
    unsupported: false,
    createdAt: at,
    resolvedAt: status === 'open' ? null : at,
    audit: [{ at, action: 'filed', actor: account, note: 'Ada called', evidence: 'letter of Ada' }],
  };
}
