import type { mongo } from 'mongoose';
import { repeatedOnce } from './bulk-failures.js';
import { lanesDue } from './lanes-due.js';
import type { Present } from './present.js';
import type { DeliveryModel, DeliveryRow } from './store.js';
import { claimOfLapsed, type Settlement, settlementUpdates } from './work-updates.rules.js';

/** A delivery that is ours to send until its claim ends. */
export type Claimed = Pick<
  DeliveryRow,
  '_id' | 'webhookId' | 'eventId' | 'event' | 'test' | 'body' | 'attempt' | 'lastAttempt'
> & { owner: string };

export interface Claim {
  claimed: Claimed[];
  /** Deliveries whose last attempt was never recorded: nothing more is sent. */
  exhausted: number;
  /** Whether the lane may have more that is due. */
  more: boolean;
}

/** Deliveries as work. Every claim and settlement is one atomic update of each delivery. */
export interface WorkQueue {
  /** The lanes in which something is due, in order. */
  lanes(): Promise<string[]>;
  /** Claims up to `limit` of a lane, oldest due first. `token` names this claim and no other. */
  claim(lane: string, limit: number, token: string): Promise<Claim>;
  /** Records attempts; one whose claim was lost meanwhile is left as it is. Returns how many this changed. */
  settle(settlements: readonly Settlement[]): Promise<number>;
  /** Hands back claims whose attempt was not begun; they do not count. */
  release(deliveries: readonly Pick<Claimed, '_id' | 'owner' | 'attempt'>[]): Promise<void>;
  /** Deletes deliveries of a webhook that is no more; false while there are more of them. */
  drop(webhookId: string): Promise<boolean>;
}

type ClaimedRow = Omit<Claimed, 'owner'> & Pick<DeliveryRow, 'owner' | 'state'>;
/** `now`: the time of the database as it read this. */
type Due = ClaimedRow & { now: Date };

const dropsAtOnce = 1_000;
/** Where the ids are given, no other index needs to be thought about. */
const idIndex = { _id: 1 } as const;
const claimedFields = {
  webhookId: 1,
  eventId: 1,
  event: 1,
  test: 1,
  body: 1,
  state: 1,
  owner: 1,
  attempt: 1,
  lastAttempt: 1,
};

export function createWorkQueue(deps: {
  deliveries: DeliveryModel;
  present: Present;
  claimMs: number;
}): WorkQueue {
  const { deliveries, present, claimMs } = deps;
  const rows = deliveries.collection as unknown as mongo.Collection<DeliveryRow>;
  const stillOurs = ({ _id, owner, attempt }: Pick<Claimed, '_id' | 'owner' | 'attempt'>) => ({
    _id,
    open: true,
    owner,
    attempt,
  });

  /**
   * Each row is looked at again as it is written: of several instances that found it, one claims it. What matches has
   * not changed since it was read, for whatever happens to a delivery puts its due time past that moment.
   */
  async function claimFresh(due: readonly Due[], token: string): Promise<ClaimedRow[]> {
    const now = due[0]?.now;
    if (now === undefined) return [];
    const ids = due.map(({ _id }) => _id);
    const claimEnds = new Date(now.getTime() + claimMs);
    const { matchedCount } = await rows.updateMany(
      { _id: { $in: ids }, open: true, owner: null, due: { $lte: now } },
      { $set: { owner: token, claimedAt: now, due: claimEnds }, $inc: { attempt: 1 } },
      { hint: idIndex },
    );
    if (matchedCount < due.length) return readBack(ids, { owner: token });
    return due.map((row) => ({ ...row, attempt: row.attempt + 1 }));
  }

  /** Those whose last claim ended without a record. */
  async function claimLapsed(due: readonly Due[], token: string): Promise<ClaimedRow[]> {
    if (due.length === 0) return [];
    const ids = due.map(({ _id }) => _id);
    // Recorded or handed back since it was read, it is no longer lapsed, though it may be due.
    const lapsed = { open: true, owner: { $ne: null }, $expr: { $lte: ['$due', present()] } };
    await rows.updateMany({ ...lapsed, _id: { $in: ids } }, [
      { $set: claimOfLapsed(token, present(), claimMs) },
    ]);
    return readBack(ids, {});
  }

  /** In the order of the ids. */
  async function readBack(ids: readonly string[], filter: { owner?: string }): Promise<ClaimedRow[]> {
    const found = await rows
      .find({ _id: { $in: [...ids] }, ...filter })
      .project<ClaimedRow>(claimedFields)
      .toArray();
    const byId = new Map(found.map((row) => [row._id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  return {
    async lanes() {
      return (await lanesDue(deliveries, present)).map(({ _id }) => _id).sort();
    },

    async claim(lane, limit, token) {
      const due = await rows
        .find({ open: true, lane, $expr: { $lte: ['$due', present()] } })
        .project<Due>({ ...claimedFields, now: { $add: [present(), 0] } })
        .sort({ due: 1 })
        .limit(limit)
        .toArray();
      const lapsed = await claimLapsed(
        due.filter(({ owner }) => owner !== null),
        token,
      );
      const fresh = await claimFresh(
        due.filter(({ owner }) => owner === null),
        token,
      );
      return {
        claimed: [...lapsed.filter(({ owner }) => owner === token), ...fresh].map((row) => ({
          ...row,
          owner: token,
        })),
        exhausted: lapsed.filter(({ state }) => state === 'exhausted').length,
        more: due.length === limit,
      };
    },

    async settle(settlements) {
      const updates = settlementUpdates(settlements, present());
      const operations = updates.map((each) => ({ updateMany: { ...each, hint: idIndex } }));
      // What was recorded matches no more, so it may be done again.
      const result = await repeatedOnce(() => rows.bulkWrite(operations, { ordered: false }));
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
