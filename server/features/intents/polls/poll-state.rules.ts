/**
 * What is asked of the anchor about the transaction of an open intent:
 * - `never`: nothing, since there is no transaction, or the anchor answered too often that it does not know it
 * - `waiting`: nothing yet, until one of its client's places is free
 * - `unconfirmed`: the anchor has not shown a record of it so far
 * - `confirmed`: the anchor has shown a record of it
 */
export const pollStates = ['never', 'waiting', 'unconfirmed', 'confirmed'] as const;
export type PollState = (typeof pollStates)[number];

/** After this many polls at which the anchor did not know the transaction, it is not polled any more. */
export const givenUpAfterPolls = 10;
/** Most unconfirmed transactions of one client address that are polled; anyone can make up ids. */
export const placesPerClient = 20;

/** The facts that determine it. */
export interface PollHistory {
  attached: boolean;
  /** Whether the anchor ever showed a record of the transaction. */
  seen: boolean;
  /** How often the anchor answered that it does not know the transaction. */
  unknownPolls: number;
  /** Whether it still waits for a place. */
  waits: boolean;
}

export function pollStateOf({ attached, seen, unknownPolls, waits }: PollHistory): PollState {
  if (!attached) return 'never';
  if (seen) return 'confirmed';
  if (unknownPolls >= givenUpAfterPolls) return 'never';
  return waits ? 'waiting' : 'unconfirmed';
}

/** The same items, one of each client in turn, those of one client in their order. */
export function clientsInTurn<T extends { client: string | null }>(items: readonly T[]): T[] {
  const byClient = new Map<string, T[]>();
  for (const item of items)
    byClient.set(item.client ?? '', [...(byClient.get(item.client ?? '') ?? []), item]);
  const queues = [...byClient.values()];
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, round) =>
    queues.flatMap((queue) => queue.slice(round, round + 1)),
  ).flat();
}

/**
 * Whether a transaction that is attached to this intent has to wait until a place of its client is free, so that ids that
 * somebody made up delay nobody else's. Those of anchors that cannot be polled take no place.
 */
export type HasToWait = (intent: { anchorId: string; client: string | null }) => Promise<boolean>;
