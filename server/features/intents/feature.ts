import type { Emit } from '../../deliveries/deliveries.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import type { Leases } from '../../mongo/leases.js';
import type { PauseBeforeTry } from '../../mongo/refused-writes.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Outbound } from '../../outbound/outbound.js';
import type { Clock, Logger, Pause, Random } from '../../ports.js';
import type { Streams } from '../../streams/streams.js';
import type { AnchorDirectory } from '../anchors/service.js';
import { createCommitted } from './committed.js';
import { createIntentStreams } from './intent-streams.js';
import type { LookStore } from './look-store.js';
import type { LookUpStore } from './look-up-store.js';
import { createOwnership } from './ownership.js';
import { createLookUpPayments } from './payment-look-ups.js';
import { createMakeProgress } from './progress.js';
import { createReconcile, type Reconcile, reconcileLease } from './reconcile.js';
import { createIntentsRouter, createReconcileRouter } from './router.js';
import { createIntentService, type IntentServiceDeps } from './service.js';
import { createTakeStatusCallback } from './status-callback.js';
import type { IntentStore } from './store.js';
import type { IntentStreamStore } from './stream-store.js';
import { createTransactionPoll, type PollDirectory } from './transaction-poll.js';
import { createRemoveUnpaid } from './unpaid-removal.js';
import { createUnpaidRoom } from './unpaid-room.js';
import type { UnpaidStore } from './unpaid-store.js';

/** The leases of this feature, which are seeded at boot. */
export const intentLeases = [reconcileLease] as const;

export interface IntentsDeps
  extends Pick<IntentServiceDeps, 'quoteFrom' | 'disputeOf' | 'standingOf' | 'onAttached'> {
  store: IntentStore;
  unpaid: UnpaidStore;
  looks: LookStore;
  lookUps: LookUpStore;
  streamStore: IntentStreamStore;
  streams: Pick<Streams, 'open'>;
  /** Null where none is configured: the anchor's records are then trusted. */
  ledger: Ledger | null;
  directory: IntentServiceDeps['directory'] & PollDirectory & Pick<AnchorDirectory, 'signingKeyOf'>;
  /** Sends the polls to anchors. */
  outbound: Outbound;
  /** Returns the hashes among these whose intents have a dispute. */
  disputedAmong: (intentHashes: readonly string[]) => Promise<string[]>;
  /** Most unpaid intents that are stored, for all clients together. */
  maxUnpaidIntents: number;
  /** Limits the callbacks per anchor. */
  limiter: Pick<RateLimiter, 'take'>;
  leases: Leases;
  inTransaction: InTransaction;
  pauseBeforeTry: PauseBeforeTry;
  writeEvent: Emit;
  failureGraceMs: number;
  random: Random;
  /** Address of this service as clients and anchors know it, without a trailing slash. */
  publicUrl: string;
  clock: Clock;
  pause: Pause;
  logger: Logger;
}

export interface Intents {
  router: ReturnType<typeof createIntentsRouter>;
  reconcileRouter: ReturnType<typeof createReconcileRouter>;
  /** The job that checks the open intents that are due. */
  reconcile: Reconcile['run'];
  /** Ends the change stream behind the streams of intents. */
  stopStreams(): Promise<void>;
}

export function createIntentsFeature(deps: IntentsDeps): Intents {
  const { store, directory, limiter, publicUrl, clock } = deps;
  const ownership = createOwnership(deps);
  const { ledger } = deps;
  const asksLedger = ledger !== null;
  const limits = { failureGraceMs: deps.failureGraceMs, ledger: asksLedger };
  const progress = createMakeProgress({ ...deps, ownership, limits, onLookUpDue: deps.onAttached });
  const room = createUnpaidRoom({ store: deps.unpaid, max: deps.maxUnpaidIntents, clock });
  const committed = createCommitted(deps.streamStore);
  const service = createIntentService({ ...deps, committed, ownership, progress, room });
  const { answerOf } = service;
  const intentStreams = createIntentStreams({ ...deps, streams: deps.streamStore, answerOf, asksLedger });
  const takeStatusCallback = createTakeStatusCallback({
    store,
    progress,
    committed,
    signingKeyOf: directory.signingKeyOf,
    onDue: deps.onAttached,
    host: new URL(publicUrl).host,
    clock,
  });
  const removeUnpaid = createRemoveUnpaid({ ...deps, store: deps.unpaid, asksLedger });
  const lookUpPayments =
    ledger === null ? undefined : createLookUpPayments({ ...deps, ledger, ownership, progress });
  const poll = createTransactionPoll(deps);
  const reconcile = createReconcile({ ...deps, progress, poll, lookUpPayments, removeUnpaid });
  return {
    router: createIntentsRouter({
      service,
      takeStatusCallback,
      limiter,
      streams: deps.streams,
      intentStreams,
    }),
    reconcileRouter: createReconcileRouter({ reconcile }),
    reconcile: reconcile.run,
    stopStreams: intentStreams.stop,
  };
}
