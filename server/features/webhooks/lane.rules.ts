/** What an instance keeps in mind of one lane. */
export interface Lane {
  readonly id: string;
  /** POSTs under way. */
  sending: number;
  /** POSTs that are over and not yet recorded. */
  unrecorded: number;
  /** A claim is under way. */
  claiming: boolean;
  /** There may be more that is due: a look said so, or the last claim found as much as it asked for. */
  more: boolean;
  /** Attempts in a row that were not acknowledged. */
  failures: number;
  /** Left alone for a moment: neither claimed for nor sent to. */
  resting: boolean;
  /** How long its last attempt took. */
  answerMs: number;
  /** How many were claimed at once, last. */
  batch: number;
}

export interface LaneLimits {
  /** POSTs under way to one webhook. */
  perLane: number;
  /** POSTs under way over all webhooks. */
  inAll: number;
  /** Deliveries claimed at once, at most. */
  maxBatch: number;
  /** After this many failures in a row a receiver gets one delivery at a time, with a rest after each. */
  failuresUntilEased: number;
  restMs: number;
}

/** Of each instance. */
export const laneLimits: LaneLimits = {
  perLane: 8,
  inAll: 256,
  maxBatch: 256,
  failuresUntilEased: 8,
  restMs: 100,
};

/** A receiver that answers within this time is claimed for ahead, */
const quickMs = 100;
/** for so long as it then answers: well within the time in which a POST must begin. */
const aheadMs = 500;

export function newLane(id: string, limits: LaneLimits): Lane {
  return {
    id,
    sending: 0,
    unrecorded: 0,
    claiming: false,
    more: false,
    failures: 0,
    resting: false,
    answerMs: Number.POSITIVE_INFINITY,
    batch: limits.perLane,
  };
}

/** A receiver that only fails would otherwise hold its slots, and keep the database busy, at the others' cost. */
export function isEased(lane: Lane, limits: LaneLimits): boolean {
  return lane.failures >= limits.failuresUntilEased;
}

/** Whether one more POST may begin; `ready` deliveries are claimed and wait for it. */
export function maySend(lane: Lane, ready: number, limits: LaneLimits): boolean {
  return ready > 0 && !lane.resting && lane.sending < (isEased(lane, limits) ? 1 : limits.perLane);
}

/**
 * How many to claim now, or 0. A claim costs about as much for many as for one, but what is claimed and not yet sent
 * when this process is killed has lost an attempt: so what can be sent at once, and more only for a quick receiver.
 */
export function claimSize(lane: Lane, ready: number, limits: LaneLimits): number {
  if (!lane.more || lane.claiming || lane.resting || lane.unrecorded > 2 * limits.maxBatch) return 0;
  const inHand = ready + lane.sending;
  if (isEased(lane, limits)) return inHand + lane.unrecorded === 0 ? 1 : 0;
  if (lane.answerMs > quickMs) return Math.max(0, limits.perLane - inHand);
  const ahead = (limits.perLane * aheadMs) / Math.max(1, lane.answerMs);
  const batch = Math.floor(Math.min(limits.maxBatch, ahead, 2 * lane.batch));
  return ready > batch / 2 ? 0 : batch;
}

/** Nothing of it is in hand, and nothing is known to be left. */
export function isQuiet(lane: Lane, ready: number): boolean {
  return lane.sending + lane.unrecorded + ready === 0 && !lane.claiming && !lane.more;
}
