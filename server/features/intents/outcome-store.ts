import type { ClientSession, Connection } from 'mongoose';
import type { OutcomeDay } from '../../outcome-days.rules.js';
import type { JudgedIntent } from '../reputation/what-counts.rules.js';
import { intentCollection } from './store.js';

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

/** What reputation reads of outcomes: those that may count. */
export function createOutcomeStore(connection: Connection) {
  const intents = intentCollection(connection);

  function outcomesOf({ anchorId, corridor, day }: OutcomeDay, account?: string, session?: ClientSession) {
    const startMs = Date.parse(day);
    const recordedAt = { $gte: new Date(startMs), $lt: new Date(startMs + 86_400_000) };
    const of = { anchorId, corridor, 'outcome.recordedAt': recordedAt, ...(account && { account }) };
    // Each branch is one range of an index.
    const mayCount = {
      $or: [
        { ...of, 'outcome.kind': paidKinds },
        { ...of, ...disputedExpiry },
      ],
    };
    return intents
      .find(mayCount as object, session && { session })
      .project<JudgedIntent>(judgedMembers)
      .toArray();
  }

  return {
    /** The outcomes of a day that may count, as the transaction sees them. */
    listOfDay: (session: ClientSession, day: OutcomeDay) => outcomesOf(day, undefined, session),

    /** The outcomes of an account on a day that may count. */
    listOfAccountDay: (day: OutcomeDay, account: string) => outcomesOf(day, account),

    /** The accounts among these that paid with any anchor before this instant. */
    accountsBefore(session: ClientSession, accounts: readonly string[], before: Date): Promise<string[]> {
      const earlier = { 'outcome.kind': paidKinds, 'outcome.recordedAt': { $lt: before } };
      return intents.distinct('account', { account: { $in: [...accounts] }, ...earlier } as object, {
        session,
      });
    },

    /** Every day that has outcomes which may count. */
    days(): AsyncIterable<OutcomeDay> {
      const day = { $dateToString: { date: '$outcome.recordedAt', format: '%Y-%m-%d' } };
      const stages = [
        { $match: { $or: [{ 'outcome.kind': paidKinds }, disputedExpiry] } },
        { $group: { _id: { anchorId: '$anchorId', corridor: '$corridor', day } } },
        { $replaceWith: '$_id' },
      ];
      return intents.aggregate<OutcomeDay>(stages, { timeoutMS: scanTimeoutMs, hint: 'outcomes_of_day' });
    },
  };
}
