/** The service under faults, as its clients see it: addresses of instances, some of which may be dead or stopped. */
export interface Target {
  /** `http://127.0.0.1:<port>` of each instance that was started and not permanently removed. */
  urls(): readonly string[];
}

/** The credentials that every service process is given and the traffic uses. */
export interface Credentials {
  adminKey: string;
  cronSecret: string;
}

/**
 * `read`: a public read; `look`: an admin's read. Every other kind writes; `job`: a refresh, a reconciliation, an
 * invalidation of a cache.
 */
export type TrafficKind =
  | 'read'
  | 'look'
  | 'intent'
  | 'attach'
  | 'dispute'
  | 'decision'
  | 'tick'
  | 'job'
  | 'webhook';

/** One finished request to one instance. A repetition at another instance is a separate request. */
export interface Answer {
  kind: TrafficKind;
  /** Method and route, such as `GET /api/rates/:corridor`. */
  route: string;
  /** The element of `Target.urls()` that it went to. */
  url: string;
  startedAtMs: number;
  tookMs: number;
  /** `cut`: no complete answer, because the connection was refused or reset, or timed out. */
  status: number | 'cut';
  /** Since when the instance must have held points of the client's limit for it, as far as the client can know. */
  heldSinceMs?: number;
  /** A write is acknowledged once its 2xx is in the ledger, on disk. */
  acknowledged: boolean;
  /** Present in a 429 or 503. */
  retryAfter?: number;
  /** The code of the error body. */
  code?: string;
  requestId?: string;
  /** How the answer deviates from the contract, in a sentence; absent if it does not. A 500 is always a fault. */
  fault?: string;
}

export interface Traffic {
  start(): void;
  /** Writes that were sent and not yet answered, on this instance or on all of them. */
  writesUnderWay(url?: string): number;
  /**
   * Called after everything is repaired: begins nothing new and waits until everything that was begun has ended (deliveries,
   * batches, outcomes), or throws and names what has not.
   */
  settle(): Promise<void>;
  /** Gives up what is still under way and closes the ledger. */
  stop(): Promise<void>;
  /** All answers so far, in the order in which they ended. */
  answers(): readonly Answer[];
  /** What no correct client can meet, each in a sentence: refusals of what was agreed, streams that end too early. */
  refusals(): readonly string[];
  /** The number of other actions, by name. */
  counts(): Readonly<Record<string, number>>;
}

/** Something acknowledged that is lost, duplicated or changed, or something stored that was never acknowledged. */
export interface Finding {
  /** What was compared, such as `intents` or `deliveries`. */
  of: string;
  id: string;
  /** A whole sentence. */
  what: string;
}

/** The number of each kind that was compared, so that an empty comparison is visible. */
export interface Comparison {
  compared: Readonly<Record<string, number>>;
  findings: readonly Finding[];
}
