import type { Connection } from 'mongoose';
import type { Intent } from '../intent.js';
import { intentModel } from '../store.js';
import { clientsInTurn, placesPerClient } from './poll-state.rules.js';

/** An intent whose transaction is to be polled. */
export type DuePoll = Pick<Intent, '_id' | 'dialect' | 'poll'> & { transactionId: string };

/** The queries about what is due: polls of anchors, look-ups on the ledger, and endings. */
export interface DueStore {
  /** Anchors with open intents that are due. */
  listAnchors(now: Date): Promise<string[]>;
  /** The anchor's next polls: transactions that it has confirmed, then the others, each longest due first. */
  listPolls(anchorId: string, now: Date): Promise<DuePoll[]>;
  /** The anchor's due intents about which it is asked nothing: only their time can end them. */
  listEndings(anchorId: string, now: Date, limit: number): Promise<Intent[]>;
  /** Hashes of the intents whose payment is to be looked up, clients in turn. */
  listLookUps(now: Date): Promise<string[]>;
  /** How many more unconfirmed transactions of the client may be polled. */
  countPlaces(client: string): Promise<number>;
  /** Clients with transactions that wait for a place. */
  listWaitingClients(): Promise<string[]>;
  /** Gives places to this many waiting transactions of the client, those that were attached first. */
  givePlaces(client: string, places: number, now: Date): Promise<void>;
  /** Number of the anchor's intents, registered in the 90 days before `now`, whose named payment the ledger contradicts. */
  countContradicted(anchorId: string, now: Date): Promise<number>;
}

/** Polls of one anchor in a round; at least half are left to unconfirmed transactions. */
const pollsAtOnce = 24;
const confirmedAtOnce = 12;
const lookUpsRead = 500;
const clientsAtOnce = 1_000;
const countedForMs = 90 * 86_400_000;
const mostCounted = 10_000;

export function createDueStore(connection: Connection): DueStore {
  const model = intentModel(connection);
  const dueAt = (now: Date) => ({ open: true, due: { $lte: now } });

  return {
    /** The sort and `$first` make MongoDB read one index key per anchor and state, however many intents are due. */
    async listAnchors(now) {
      const first = await model
        .aggregate<{ _id: { anchorId: string }; due: Date }>([
          { $match: { open: true } },
          { $sort: { open: 1, anchorId: 1, poll: 1, due: 1 } },
          { $group: { _id: { anchorId: '$anchorId', poll: '$poll' }, due: { $first: '$due' } } },
        ])
        .hint('due');
      return [...new Set(first.filter(({ due }) => due <= now).map(({ _id }) => _id.anchorId))];
    },

    async listPolls(anchorId, now) {
      const listOf = (poll: 'confirmed' | 'unconfirmed', limit: number) =>
        model
          .find({ anchorId, poll, ...dueAt(now) }, { transactionId: 1, dialect: 1, poll: 1 })
          .sort({ due: 1 })
          .limit(limit)
          .hint('due')
          .lean<DuePoll[]>();
      const confirmed = await listOf('confirmed', confirmedAtOnce);
      return [...confirmed, ...(await listOf('unconfirmed', pollsAtOnce - confirmed.length))];
    },

    async listEndings(anchorId, now, limit) {
      const found = await model
        .find({ anchorId, poll: { $in: ['never', 'waiting'] }, ...dueAt(now) })
        .limit(limit)
        .hint('due')
        .lean<Intent[]>();
      return found;
    },

    async listLookUps(now) {
      const due = await model
        .find({ lookUpDue: { $lte: now, $type: 'date' } }, { client: 1 })
        .sort({ lookUpDue: 1 })
        .limit(lookUpsRead)
        .hint('payments_to_look_up')
        .lean<Pick<Intent, '_id' | 'client'>[]>();
      return clientsInTurn(due).map(({ _id }) => _id);
    },

    async countPlaces(client) {
      const taken = { client, poll: 'unconfirmed' as const, open: true };
      const count = await model.countDocuments(taken, { hint: 'places', limit: placesPerClient });
      return placesPerClient - count;
    },

    async listWaitingClients() {
      const found = await model
        .aggregate<{ _id: string }>([
          { $match: { open: true, poll: 'waiting' } },
          { $group: { _id: '$client' } },
          { $limit: clientsAtOnce },
        ])
        .hint('places');
      return found.map(({ _id }) => _id);
    },

    async givePlaces(client, places, now) {
      const waiting = await model
        .find({ client, poll: 'waiting', open: true }, { _id: 1 })
        .sort({ attachedAt: 1 })
        .limit(places)
        .hint('places')
        .lean();
      await model.updateMany(
        { _id: { $in: waiting.map(({ _id }) => _id) }, poll: 'waiting' },
        { $set: { poll: 'unconfirmed', due: now }, $inc: { version: 1 } },
      );
    },

    countContradicted: (anchorId, now) => {
      const since = { $gte: new Date(now.getTime() - countedForMs) };
      const contradicted = { anchorId, createdAt: since, contradicted: true };
      return model.countDocuments(contradicted, { hint: 'contradicted', limit: mostCounted }).exec();
    },
  };
}
