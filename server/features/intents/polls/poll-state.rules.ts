/**
 * What is asked of the anchor about the transaction of an open intent:
 * - `never`: nothing, since there is no transaction, or the anchor answered too often that it does not know it
 * - `waiting`: nothing yet, until one of its client's places is free
 * - `unconfirmed`: the anchor has not shown a record of it so far
 * - `confirmed`: the anchor has shown a record of it
 */
export type PollState = 'never' | 'waiting' | 'unconfirmed' | 'confirmed';

/** After this many polls at which the anchor did not know the transaction, it is not polled any more. */
export const givenUpAfterPolls = 10;
/** Most unconfirmed transactions of one client address that are polled; anyone can make up ids. */
export const placesPerClient = 20;

/** The same items, one of each client in turn, those of one client in their order. */
export function clientsInTurn<T extends { client: string | null }>(items: readonly T[]): T[] {
  const taken = new Map<string | null, number>();
  const rounds = items.map((item) => {
    const round = taken.get(item.client) ?? 0;
    taken.set(item.client, round + 1);
    return { item, round };
  });
  return rounds.sort((a, b) => a.round - b.round).map(({ item }) => item);
}

/**
 * Whether a transaction that is attached to this intent has to wait until a place of its client is free, so that ids that
 * somebody made up delay nobody else's. Those of anchors that cannot be polled take no place.
 */
export type HasToWait = (intent: { anchorId: string; client: string | null }) => Promise<boolean>;
