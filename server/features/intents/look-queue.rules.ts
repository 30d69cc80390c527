/**
 * By its history, the queue in which an open intent waits for its next look:
 * - `unattached`: it has no transaction, and only waits for its time to be over
 * - `new`: the anchor has not said yet whether it knows the transaction
 * - `known`: the anchor has shown a record of it
 * - `paid`: the anchor has shown that it received the funds
 * - `unknown`: the anchor answered that it does not know it
 * - `given_up`: it answered so too often; nothing is asked any more, and the intent waits for its time to be over
 */
export type LookQueue = 'unattached' | 'new' | 'known' | 'paid' | 'unknown' | 'given_up';

/** After so many looks at which the anchor did not know the transaction, it is not asked for it any more. */
export const givenUpAfterLooks = 10;

/** What the queue follows from. */
export interface LookHistory {
  attached: boolean;
  /** Whether the anchor ever showed a record of it. */
  seen: boolean;
  /** Whether the anchor ever showed that it received the funds. */
  paid: boolean;
  /** How often the anchor answered that it does not know it. */
  unknownLooks: number;
}

export function lookQueueOf({ attached, seen, paid, unknownLooks }: LookHistory): LookQueue {
  if (!attached) return 'unattached';
  if (paid) return 'paid';
  if (seen) return 'known';
  if (unknownLooks >= givenUpAfterLooks) return 'given_up';
  return unknownLooks === 0 ? 'new' : 'unknown';
}

/** The queues whose intents are polled. The others are only ended once their time is over. */
export const polledQueues = ['paid', 'known', 'new', 'unknown'] as const satisfies readonly LookQueue[];
export type PolledQueue = (typeof polledQueues)[number];

/**
 * How the polls of an anchor are shared between its queues, over and over. Most go to new ids, since a first look that
 * comes after the payment may cost an outcome, but never all: new ids cost nothing to make up. To start withdrawals
 * costs nothing either, so paid ones have a share of their own.
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

/** The queues in the order in which the look of this number tries them: what one leaves goes to those before it. */
export function queuesOfTurn(turn: number): readonly PolledQueue[] {
  const first = shares[turn % shares.length] ?? 'new';
  return [first, ...polledQueues.filter((queue) => queue !== first)];
}

/** An intent that waits for its turn. */
export interface Waiting {
  _id: string;
  account: string;
}

/** Of the intents of one client, longest due first, the one whose account was served least recently. */
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
