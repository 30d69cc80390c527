import type { mongo } from 'mongoose';
import type { Verdict } from './delivery-state.rules.js';
import type { Present } from './present.js';
import { type AttemptRow, type DeliveryModel, type DeliveryRow, maxAttemptsKept } from './store.js';

/** A delivery that is ours to send until its claim ends. */
export type Claimed = Pick<
  DeliveryRow,
  '_id' | 'webhookId' | 'eventId' | 'event' | 'test' | 'body' | 'attempt' | 'lastAttempt' | 'claimedAt'
> & { owner: string };

export interface Claim {
  claimed: Claimed[];
  /** Deliveries whose last attempt was never recorded: nothing more is sent. */
  exhausted: number;
  /** Whether the lane may have more that is due. */
  more: boolean;
}

export interface Settlement {
  delivery: Pick<Claimed, '_id' | 'webhookId' | 'owner' | 'attempt'>;
  record: AttemptRow;
  verdict: Verdict;
  /** Until the next attempt, where the verdict is to retry. */
  delayMs: number;
}

/** Deliveries as work. Every claim and settlement is one atomic update of each delivery. */
export interface WorkQueue {
  /** The lanes in which something is due, in order. */
  lanes(): Promise<string[]>;
  /** Claims up to `limit` of a lane, oldest due first. `token` names this claim and no other. */
  claim(lane: string, limit: number, token: string): Promise<Claim>;
  /** Records attempts; one whose claim was lost meanwhile is left as it is. Returns how many were recorded. */
  settle(settlements: readonly Settlement[]): Promise<number>;
  /** Hands back claims whose attempt was not begun; they do not count. */
  release(deliveries: readonly Pick<Claimed, '_id' | 'owner' | 'attempt'>[]): Promise<void>;
  /** Deletes deliveries of a webhook that is no more; false while there are more of them. */
  drop(webhookId: string): Promise<boolean>;
}

const dropsAtOnce = 1_000;

export function createWorkQueue(deps: {
  deliveries: DeliveryModel;
  present: Present;
  claimMs: number;
}): WorkQueue {
  const { deliveries, present, claimMs } = deps;
  const rows = deliveries.collection as unknown as mongo.Collection<DeliveryRow>;
  const isDue = () => ({ open: true, $expr: { $lte: ['$due', present()] } });
  const stillOurs = ({ _id, owner, attempt }: Pick<Claimed, '_id' | 'owner' | 'attempt'>) => ({
    _id,
    open: true,
    owner,
    attempt,
  });

  return {
    async lanes() {
      // The sort over the whole index and `$first` make this one look at each lane, however long they are.
      const heads = await rows
        .aggregate<{ _id: string }>([
          { $match: { open: true } },
          { $sort: { open: 1, lane: 1, due: 1 } },
          { $group: { _id: '$lane', due: { $first: '$due' } } },
          { $match: { $expr: { $lte: ['$due', present()] } } },
        ])
        .toArray();
      return heads.map(({ _id }) => _id).sort();
    },

    async claim(lane, limit, token) {
      const due = await rows
        .find({ ...isDue(), lane }, { projection: { _id: 1 } })
        .sort({ due: 1 })
        .limit(limit)
        .toArray();
      if (due.length === 0) return { claimed: [], exhausted: 0, more: false };
      const ids = due.map(({ _id }) => _id);
      // Each row is looked at again as it is written: of several that found it, one claims it.
      await rows.updateMany({ ...isDue(), _id: { $in: ids } }, [
        { $set: claimOf(token, present(), claimMs) },
      ]);
      const now = await rows.find({ _id: { $in: ids } }).toArray();
      const byId = new Map(now.map((row) => [row._id, row]));
      const found = ids.flatMap((id) => byId.get(id) ?? []);
      return {
        claimed: found.flatMap((row) => (row.owner === token ? [{ ...row, owner: token }] : [])),
        exhausted: found.filter(({ state }) => state === 'exhausted').length,
        more: due.length === limit,
      };
    },

    async settle(settlements) {
      const result = await rows.bulkWrite(
        settlements.map(({ delivery, record, verdict, delayMs }) => ({
          updateOne: {
            filter: stillOurs(delivery),
            update: [{ $set: settledBy(record, verdict, delayMs, present()) }],
          },
        })),
        { ordered: false },
      );
      return result.matchedCount;
    },

    async release(released) {
      await rows.bulkWrite(
        released.map((delivery) => ({
          updateOne: {
            filter: stillOurs(delivery),
            update: [
              {
                $set: {
                  owner: null,
                  claimedAt: null,
                  due: present(),
                  attempt: { $subtract: ['$attempt', 1] },
                },
              },
            ],
          },
        })),
        { ordered: false },
      );
    },

    async drop(webhookId) {
      const found = await rows
        .find({ webhookId }, { projection: { _id: 1 } })
        .limit(dropsAtOnce)
        .toArray();
      await rows.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      return found.length < dropsAtOnce;
    },
  };
}

/** An attempt is counted by its claim. A claim that ended without a record is one of unknown outcome. */
function claimOf(token: string, now: '$$NOW' | Date, claimMs: number): Record<string, unknown> {
  const spent = { $gte: ['$attempt', '$lastAttempt'] };
  const unknown = {
    attempt: '$attempt',
    at: '$claimedAt',
    outcome: 'unknown',
    status: null,
    elapsedMs: null,
    answer: null,
  };
  return {
    attempts: { $cond: [{ $eq: ['$owner', null] }, '$attempts', appended(unknown)] },
    attempt: { $cond: [spent, '$attempt', { $add: ['$attempt', 1] }] },
    owner: { $cond: [spent, null, token] },
    claimedAt: { $cond: [spent, null, now] },
    due: { $add: [now, claimMs] },
    open: { $not: [spent] },
    state: { $cond: [spent, 'exhausted', '$state'] },
    settledAt: { $cond: [spent, now, null] },
  };
}

function settledBy(
  record: AttemptRow,
  verdict: Verdict,
  delayMs: number,
  now: '$$NOW' | Date,
): Record<string, unknown> {
  const open = verdict.state === 'pending';
  return {
    // As a literal: an answer may begin with a dollar sign, which would make it an expression.
    attempts: appended({ $literal: record }),
    state: verdict.state,
    open,
    owner: null,
    claimedAt: null,
    due: { $add: [now, delayMs] },
    settledAt: open ? null : now,
  };
}

function appended(entry: object): object {
  return { $slice: [{ $concatArrays: ['$attempts', [entry]] }, -maxAttemptsKept] };
}
