/** What the dispatcher keeps in mind of one lane. */
export interface Lane {
  readonly id: string;
  /** Reserved for a claim under way, or being sent. */
  sending: number;
  /** Sent and not yet recorded. */
  unrecorded: number;
  /** A claim is under way. */
  claiming: boolean;
  /** There may be more that is due: a look said so, or the last claim found as much as it asked for. */
  more: boolean;
  /** Attempts in a row that were not acknowledged. */
  failures: number;
  /** It failed just now and is left alone for a moment. */
  resting: boolean;
}

export interface LaneLimits {
  /** Deliveries in flight to one webhook, of one instance. */
  perLane: number;
  /** Deliveries in flight over all webhooks, of one instance. */
  inAll: number;
  /** After this many failures in a row a receiver gets one delivery at a time, with a rest after each. */
  failuresUntilEased: number;
  restMs: number;
}

export const laneLimits: LaneLimits = { perLane: 8, inAll: 256, failuresUntilEased: 8, restMs: 100 };

export function newLane(id: string): Lane {
  return { id, sending: 0, unrecorded: 0, claiming: false, more: false, failures: 0, resting: false };
}

/** A receiver that only fails would otherwise hold its slots, and keep the database busy, at the others' cost. */
export function isEased(lane: Lane, limits: LaneLimits): boolean {
  return lane.failures >= limits.failuresUntilEased;
}

/** How many more deliveries may be claimed for it, `sending` being what is in flight over all lanes. */
export function roomOf(lane: Lane, sending: number, limits: LaneLimits): number {
  if (lane.claiming || lane.resting) return 0;
  const own = (isEased(lane, limits) ? 1 : limits.perLane) - lane.sending;
  return Math.max(
    0,
    Math.min(own, 2 * limits.perLane - lane.sending - lane.unrecorded, limits.inAll - sending),
  );
}

/** Nothing of it is in hand, and nothing is known to be left. */
export function isQuiet(lane: Lane): boolean {
  return lane.sending === 0 && lane.unrecorded === 0 && !lane.claiming && !lane.more;
}
