/**
 * The queue in which an open intent waits for its next look (a check of the intent by the job), by its history:
 * - `unattached`: the intent has no transaction and only waits for its time to be over
 * - `new`: the anchor has not said yet whether it knows the transaction
 * - `known`: the anchor has shown a record of it
 * - `paid`: the anchor has shown that it received the funds
 * - `unknown`: the anchor answered that it does not know the transaction
 * - `given_up`: the anchor gave that answer too often; the intent is not polled any more and waits for its time to be over
 */
export type LookQueue = 'unattached' | 'new' | 'known' | 'paid' | 'unknown' | 'given_up';

/** After this many polls at which the anchor did not know the transaction, it is not polled any more. */
export const givenUpAfterLooks = 10;

/** The facts that determine the queue. */
export interface LookHistory {
  attached: boolean;
  /** Whether the anchor ever showed a record of the transaction. */
  seen: boolean;
  /** Whether the anchor ever showed that it received the funds. */
  paid: boolean;
  /** How often the anchor answered that it does not know the transaction. */
  unknownLooks: number;
}

export function lookQueueOf({ attached, seen, paid, unknownLooks }: LookHistory): LookQueue {
  if (!attached) return 'unattached';
  if (paid) return 'paid';
  if (seen) return 'known';
  if (unknownLooks >= givenUpAfterLooks) return 'given_up';
  return unknownLooks === 0 ? 'new' : 'unknown';
}

/** The queues whose intents are polled. Intents in the others only end once their time is over. */
export const polledQueues = ['paid', 'known', 'new', 'unknown'] as const satisfies readonly LookQueue[];
export type PolledQueue = (typeof polledQueues)[number];

/**
 * The order in which the polls of an anchor go to its queues, repeated without end. Most go to new ids, since a first look
 * that comes after the payment may cost an outcome, but not all, since anyone can make up new ids for free. Starting a
 * withdrawal is free as well, so paid ones have a share of their own.
 */
const shares: readonly PolledQueue[] = [
  'new',
  'paid',
  'new',
  'known',
  'new',
  'new',
  'paid',
  'new',
  'unknown',
  'new',
];

/** The queues in the order in which this turn tries them. If the first one is empty, the others follow by priority. */
export function queuesOfTurn(turn: number): readonly PolledQueue[] {
  const first = shares[turn % shares.length] ?? 'new';
  return [first, ...polledQueues.filter((queue) => queue !== first)];
}

/** An intent that waits for its turn. */
export interface Waiting {
  _id: string;
  account: string;
}

/** The intent whose account was served least recently. `waiting`: the intents of one client, longest due first. */
export function leastServed<T extends Waiting>(
  waiting: readonly T[],
  servedAt: (account: string) => number | undefined,
): T | undefined {
  const rank = ({ account }: T) => servedAt(account) ?? -1;
  return waiting.reduce<T | undefined>(
    (best, each) => (best === undefined || rank(each) < rank(best) ? each : best),
    undefined,
  );
}
