import type { Clock, Random } from '../../server/ports.js';

/** The service under faults, as its clients see it: addresses of instances, some of which may be dead or stopped. */
export interface Target {
  /** One for each instance that was started and not taken out of service for good; `http://127.0.0.1:<port>`. */
  urls(): readonly string[];
}

/** What stands around the service and is not broken: anchors, ledger, oracle, receivers of webhooks. */
export interface Surroundings {
  /** Environment of every service process: FLEET_FILE, FX_URL, LEDGER_RPC_URL, ORACLE_URL, OUTBOUND_ALLOW, … */
  env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export interface SurroundingsOptions {
  random: Random;
  clock: Clock;
  /** For fleet and state files; the caller keeps it with a run that fails. */
  folder: string;
}

/** The credentials that every service process is given and the traffic uses. */
export interface Credentials {
  adminKey: string;
  cronSecret: string;
}

/**
 * `read`: anything public that is read; `look`: what an admin reads. Every other kind writes; `job`: a refresh, a
 * reconciliation, a cache that is dropped.
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

/** One request to one instance, once it has ended. A request that is repeated elsewhere is another one. */
export interface Answer {
  kind: TrafficKind;
  /** Method and route, such as `GET /api/rates/:corridor`. */
  route: string;
  /** The element of `Target.urls()` that it went to. */
  url: string;
  startedAtMs: number;
  tookMs: number;
  /** `cut`: no answer, or not all of it: refused, reset, timed out. */
  status: number | 'cut';
  /** Since when the instance must have held points of the client's limit for it, as far as the client can know. */
  heldSinceMs?: number;
  /** A write is acknowledged once its 2xx is in the ledger, on disk. */
  acknowledged: boolean;
  /** Of a 429 or 503. */
  retryAfter?: number;
  /** The code of the error body. */
  code?: string;
  requestId?: string;
  /** What of it is not as the contract says, in a sentence; absent where all is. A 500 always has one. */
  fault?: string;
}

export interface Traffic {
  start(): void;
  /** Writes that were sent and not yet answered, on this instance or on all of them. */
  writesUnderWay(url?: string): number;
  /**
   * After everything is healed: begins nothing new and waits until what was begun has come to its end (deliveries,
   * batches, outcomes), or throws and names what has not.
   */
  settle(): Promise<void>;
  /** Gives up what is still under way and closes the ledger. */
  stop(): Promise<void>;
  /** All answers so far, in the order in which they ended. */
  answers(): readonly Answer[];
  /** What no correct client can meet, each in a sentence: refusals of what was agreed, streams that end too early. */
  refusals(): readonly string[];
  /** What was done besides, by name. */
  counts(): Readonly<Record<string, number>>;
}

export interface TrafficOptions<Around extends Surroundings = Surroundings> {
  target: Target;
  surroundings: Around;
  credentials: Credentials;
  random: Random;
  clock: Clock;
  /** Where acknowledged answers are written before they count. */
  ledgerFile: string;
}

/** Something acknowledged that is lost, doubled or changed, or something stored that nobody was told. */
export interface Finding {
  /** What was compared, such as `intents` or `deliveries`. */
  of: string;
  id: string;
  /** A whole sentence. */
  what: string;
}

/** How many of each kind were compared, so that a comparison of nothing shows. */
export interface Comparison {
  compared: Readonly<Record<string, number>>;
  findings: readonly Finding[];
}

export interface CompareOptions<Around extends Surroundings = Surroundings> {
  mongoUri: string;
  ledgerFile: string;
  surroundings: Around;
}
