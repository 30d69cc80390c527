import { type Present, serverPresent } from './present.js';
import type { DeliveryModel } from './store.js';

/**
 * The lanes in which something is due, and the time by which it is. The sort over the whole index and `$first` make
 * this one look at each lane, however long they are.
 */
export async function lanesDue(
  deliveries: DeliveryModel,
  present: Present = serverPresent,
): Promise<{ _id: string; now: Date }[]> {
  return deliveries
    .aggregate<{ _id: string; now: Date }>([
      { $match: { open: true } },
      { $sort: { open: 1, lane: 1, due: 1 } },
      { $group: { _id: '$lane', due: { $first: '$due' } } },
      { $match: { $expr: { $lte: ['$due', present()] } } },
      { $project: { now: { $add: [present(), 0] } } },
    ])
    .hint('work_by_lane');
}
