import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Intent } from '../../../server/features/intents/intent.js';
import { createDueStore } from '../../../server/features/intents/polls/due-store.js';
import { createIntentStore } from '../../../server/features/intents/store.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { intentDocuments, unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { testConnection } from '../../support/database.js';

const connection = await testConnection({ monitored: true });
const store = createIntentStore(connection);

beforeAll(() => prepareCollections(connection));
beforeEach(() => intentDocuments(connection).deleteMany({}));

it('finds the holder and the claimants of a transaction without reading other intents', async () => {
  await insertMany();
  const wanted = { anchorId: 'harbour', transactionId: 'tx100' };
  expect(await store.touchHolder(wanted.anchorId, wanted.transactionId)).not.toBeNull();
  expect(await documentsRead(() => store.touchHolder('harbour', 'tx100'))).toBe(1);
  const claim = { anchorId: 'harbour', claimedId: 'tx100' };
  expect(await documentsRead(() => store.findFirstClaimant(claim))).toBe(1);
  expect(await documentsRead(() => store.touchHolder('harbour', 'unknown'))).toBe(0);
});

it('finds what is due without reading other intents', async () => {
  await insertMany();
  const due = createDueStore(connection);
  const now = new Date('2026-12-01T00:00:00.000Z');
  const intents = connection.collection<{ _id: string }>('intents');
  const [confirmed, new1, new2, waiting] = (await intents.find().limit(4).toArray()).map(({ _id }) => _id);
  await intents.updateMany({}, { $set: { due: new Date('2027-01-01T00:00:00.000Z') } });
  const set = (_id: string | undefined, changes: object) =>
    intents.updateOne({ _id: _id as string }, { $set: { due: new Date(0), open: true, ...changes } });
  await set(confirmed, { anchorId: 'due', poll: 'confirmed', client: 'a', lookUpDue: new Date(0) });
  await set(new1, { anchorId: 'due', poll: 'unconfirmed', client: 'a' });
  await set(new2, { anchorId: 'due', poll: 'unconfirmed', client: 'b' });
  await set(waiting, { anchorId: 'due', poll: 'waiting', client: 'a', attachedAt: new Date(0) });
  const idsOf = (found: { _id: string }[]) => found.map(({ _id }) => _id);
  expect(await due.listAnchors(now)).toEqual(['due']);
  expect(await documentsRead(() => due.listAnchors(now))).toBe(0);
  const polls = await due.listPolls('due', now);
  expect(idsOf(polls)[0]).toBe(confirmed);
  expect(idsOf(polls.slice(1)).sort()).toEqual([new1, new2].sort());
  expect(await documentsRead(() => due.listPolls('due', now))).toBe(3);
  expect(await due.listLookUps(now)).toEqual([confirmed]);
  expect(await documentsRead(() => due.listLookUps(now))).toBe(1);
  expect(await documentsRead(() => due.listEndings('due', now))).toBe(1);
  expect(await documentsRead(() => due.countPlaces('a'))).toBe(0);
  expect(await documentsRead(() => due.giveFreePlaces(now))).toBeLessThan(4);
});

let used = 0;

function newIntents(count: number) {
  used += count;
  return Array.from({ length: count }, (_, place) => unpaidIntent(used - place));
}

it('tells each of those inserted together whether it was stored: a known one does not refuse the others', async () => {
  const [first, twice, other, ...rest] = newIntents(40) as [Intent, Intent, Intent, ...Intent[]];
  await store.insert(first);
  const attached = (intent: Intent) => ({ ...intent, transactionId: 'held' });
  const intents = [rest[0], first, attached(twice), attached(other), twice, ...rest.slice(1)] as Intent[];
  // One insert is under way, so all others are sent together.
  const results = await Promise.all(intents.map((each) => store.insert(each)));
  const refused = [first, attached(other), twice];
  expect(intents.filter((_, place) => !results[place])).toEqual(refused);
  const stored = await intentDocuments(connection).countDocuments({});
  expect(stored).toBe(1 + intents.length - refused.length);
});

/** Half of these hold a transaction, which the next one claims. */
function insertMany() {
  return store.insertAll(
    Array.from({ length: 200 }, (_, index) => ({
      ...unpaidIntent(index),
      ...(index % 2 === 0 ? { transactionId: `tx${index}` } : { claimedId: `tx${index - 1}` }),
    })),
  );
}

/** The number of documents that the queries of `work` read, according to MongoDB's profiler. */
async function documentsRead(work: () => Promise<unknown>): Promise<number> {
  const db = connection.getClient().db(connection.name);
  await db.setProfilingLevel('all');
  await work();
  await db.setProfilingLevel('off');
  const profiled = await db
    .collection('system.profile')
    .find({ ns: `${connection.name}.intents` })
    .toArray();
  await db.collection('system.profile').drop();
  expect(profiled.length).toBeGreaterThan(0);
  return profiled.reduce((sum, { docsExamined = 0 }) => sum + docsExamined, 0);
}
