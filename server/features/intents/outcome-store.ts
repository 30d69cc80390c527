import type { ClientSession, Connection } from 'mongoose';
import type { OutcomeDay } from '../../outcome-days.rules.js';
import type { JudgedIntent } from '../reputation/what-counts.rules.js';
import type { Intent } from './intent.js';
import { intentModel } from './store.js';

/** What reputation reads of outcomes: those that may count. */
export interface OutcomeStore {
  /** The outcomes of a day that may count, as the transaction sees them. */
  listOfDay(session: ClientSession, day: OutcomeDay): Promise<JudgedIntent[]>;
  /** The outcomes of an account on a day that may count. */
  listOfAccountDay(day: OutcomeDay, account: string): Promise<JudgedIntent[]>;
  /** The accounts among these that paid with any anchor before this instant. */
  accountsBefore(session: ClientSession, accounts: readonly string[], before: Date): Promise<string[]>;
  /** Every day that has outcomes which may count. */
  days(): AsyncIterable<OutcomeDay>;
}

/** The only members that decide what counts; an intent holds much that does not concern it. */
const judgedMembers: { readonly [K in keyof JudgedIntent]: 1 } = {
  _id: 1,
  anchorId: 1,
  corridor: 1,
  account: 1,
  sellAmount: 1,
  outcome: 1,
  unscoredReason: 1,
  disputeEffect: 1,
};

const paidKinds = { $in: ['failed', 'settled'] } as const;
/** Expired intents cost nothing, so there may be very many: only those with a verdict are read. */
const disputedExpiry = {
  'outcome.kind': 'expired',
  disputeEffect: { $in: ['counts_filled', 'counts_not_filled', 'not_counted'] },
} as const;
/** Listing the days reads the index of every outcome. */
const scanTimeoutMs = 120_000;

/** Uses the driver's own collection: days of thousands of outcomes need no casting. */
export function createOutcomeStore(connection: Connection): OutcomeStore {
  const model = intentModel(connection);
  const intents = connection.getClient().db(connection.name).collection<Intent>(model.collection.name);

  /** Each branch is one range of an index. */
  function mayCount(of: object) {
    return {
      $or: [
        { ...of, 'outcome.kind': paidKinds },
        { ...of, ...disputedExpiry },
      ],
    } as object;
  }

  return {
    listOfDay: (session, { anchorId, corridor, day }) =>
      intents
        .find(mayCount({ anchorId, corridor, 'outcome.recordedAt': during(day) }), { session })
        .project<JudgedIntent>(judgedMembers)
        .toArray(),

    listOfAccountDay: ({ anchorId, corridor, day }, account) =>
      intents
        .find(mayCount({ account, anchorId, corridor, 'outcome.recordedAt': during(day) }))
        .project<JudgedIntent>(judgedMembers)
        .toArray(),

    accountsBefore: (session, accounts, before) =>
      intents.distinct(
        'account',
        {
          account: { $in: [...accounts] },
          'outcome.kind': paidKinds,
          'outcome.recordedAt': { $lt: before },
        } as object,
        { session },
      ),

    days: () =>
      intents.aggregate<OutcomeDay>(
        [
          { $match: { $or: [{ 'outcome.kind': paidKinds }, disputedExpiry] } },
          {
            $group: {
              _id: {
                anchorId: '$anchorId',
                corridor: '$corridor',
                day: { $dateToString: { date: '$outcome.recordedAt', format: '%Y-%m-%d' } },
              },
            },
          },
          { $replaceWith: '$_id' },
        ],
        { timeoutMS: scanTimeoutMs, hint: 'outcomes_of_day' },
      ),
  };
}

function during(day: string) {
  const start = Date.parse(`${day}T00:00:00.000Z`);
  return { $gte: new Date(start), $lt: new Date(start + 86_400_000) };
}
