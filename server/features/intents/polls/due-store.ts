import type { Connection } from 'mongoose';
import type { Intent } from '../intent.js';
import { intentCollection } from '../store.js';

/** An intent that is due. It has a transaction where its anchor is to be asked about it. */
export type DuePoll = Pick<Intent, '_id' | 'poll' | 'transactionId'>;

/** The queries about what is due: polls of anchors, look-ups on the ledger, and endings. */
export type DueStore = ReturnType<typeof createDueStore>;

/**
 * Whether a transaction that is attached to this intent has to wait until a place of its client is free, so that ids that
 * somebody made up delay nobody else's. Those of anchors that cannot be polled take no place.
 */
export type HasToWait = (intent: { anchorId: string; client: string | null }) => Promise<boolean>;

/** Most unconfirmed transactions of one client address that are polled; anyone can make up ids. */
export const placesPerClient = 20;

/** Polls of one anchor in a round; at least half are left to unconfirmed transactions. */
const pollsAtOnce = 24;
const confirmedAtOnce = 12;
const endingsAtOnce = 500;
const lookUpsRead = 500;
const clientsAtOnce = 1_000;
const countedForMs = 90 * 86_400_000;
const mostCounted = 10_000;

export function createDueStore(connection: Connection) {
  const intents = intentCollection(connection);

  function listDue(
    anchorId: string,
    polls: readonly Intent['poll'][],
    now: Date,
    limit: number,
  ): Promise<DuePoll[]> {
    return intents
      .find({ open: true, anchorId, poll: { $in: [...polls] }, due: { $lte: now } }, { hint: 'due' })
      .project<DuePoll>({ transactionId: 1, poll: 1 })
      .sort({ due: 1 })
      .limit(limit)
      .toArray();
  }

  async function countPlaces(client: string): Promise<number> {
    const taken = { client, poll: 'unconfirmed', open: true } as const;
    return (
      placesPerClient - (await intents.countDocuments(taken, { hint: 'places', limit: placesPerClient }))
    );
  }

  return {
    /**
     * Anchors with open intents that are due. The sort and `$first` make MongoDB read one index key per anchor and state,
     * however many intents are due.
     */
    async listAnchors(now: Date): Promise<string[]> {
      const stages = [
        { $match: { open: true } },
        { $sort: { open: 1, anchorId: 1, poll: 1, due: 1 } },
        { $group: { _id: { anchorId: '$anchorId', poll: '$poll' }, due: { $first: '$due' } } },
      ];
      const first = await intents
        .aggregate<{ _id: { anchorId: string }; due: Date }>(stages, { hint: 'due' })
        .toArray();
      return [...new Set(first.filter(({ due }) => due <= now).map(({ _id }) => _id.anchorId))];
    },

    /** The anchor's next polls: transactions that it has confirmed, then the others, each longest due first. */
    async listPolls(anchorId: string, now: Date): Promise<DuePoll[]> {
      const confirmed = await listDue(anchorId, ['confirmed'], now, confirmedAtOnce);
      const others = await listDue(anchorId, ['unconfirmed'], now, pollsAtOnce - confirmed.length);
      return [...confirmed, ...others];
    },

    /** The anchor's due intents about which it is asked nothing: only their time can end them. */
    listEndings: (anchorId: string, now: Date) => listDue(anchorId, ['never', 'waiting'], now, endingsAtOnce),

    /** Hashes of the intents whose payment is to be looked up, clients in turn. */
    async listLookUps(now: Date): Promise<string[]> {
      const due = await intents
        .find({ lookUpDue: { $lte: now, $type: 'date' } }, { hint: 'payments_to_look_up' })
        .project<Pick<Intent, '_id' | 'client'>>({ client: 1 })
        .sort({ lookUpDue: 1 })
        .limit(lookUpsRead)
        .toArray();
      return clientsInTurn(due).map(({ _id }) => _id);
    },

    /** How many more unconfirmed transactions of the client may be polled. */
    countPlaces,

    /** Gives the places that are free to the transactions that wait for one, those first that were attached first. */
    async giveFreePlaces(now: Date): Promise<void> {
      const stages = [
        { $match: { open: true, poll: 'waiting' } },
        { $group: { _id: '$client' } },
        { $limit: clientsAtOnce },
      ];
      for await (const { _id: client } of intents.aggregate<{ _id: string }>(stages, { hint: 'places' })) {
        const free = await countPlaces(client);
        if (free <= 0) continue;
        const waiting = await intents
          .find({ client, poll: 'waiting', open: true }, { hint: 'places' })
          .sort({ attachedAt: 1 })
          .limit(free)
          .toArray();
        await intents.updateMany(
          { _id: { $in: waiting.map(({ _id }) => _id) }, poll: 'waiting' },
          { $set: { poll: 'unconfirmed', due: now }, $inc: { version: 1 } },
        );
      }
    },

    /** Number of the anchor's intents, registered in the 90 days before `now`, whose named payment the ledger contradicts. */
    countContradicted(anchorId: string, now: Date): Promise<number> {
      const since = { $gte: new Date(now.getTime() - countedForMs) };
      const contradicted = { anchorId, createdAt: since, contradicted: true };
      return intents.countDocuments(contradicted, { hint: 'contradicted', limit: mostCounted });
    },
  };
}

/** The same items, one of each client in turn, those of one client in their order. */
function clientsInTurn<T extends { client: string | null }>(items: readonly T[]): T[] {
  const taken = new Map<string | null, number>();
  const rounds = items.map((item) => {
    const round = taken.get(item.client) ?? 0;
    taken.set(item.client, round + 1);
    return { item, round };
  });
  return rounds.sort((a, b) => a.round - b.round).map(({ item }) => item);
}
