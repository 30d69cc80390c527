import type { Connection } from 'mongoose';
import type { Ledger } from '../../ledger/ledger.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import type { Leases } from '../../mongo/leases.js';
import type { PauseBeforeTry } from '../../mongo/refused-writes.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Outbound } from '../../outbound/outbound.js';
import type { Clock, Logger, Pause, Random } from '../../ports.js';
import type { Streams } from '../../streams/streams.js';
import type { Emit } from '../../webhooks/outbox.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { MarkDays } from '../reputation/count-days.js';
import { createTakeStatusCallback } from './callback/status-callback.js';
import { createOwnership } from './holder/ownership.js';
import { createLookUpPayments } from './payment/payment-look-ups.js';
import type { DueStore } from './polls/due-store.js';
import { createPlaces } from './polls/places.js';
import { createReconcile, type Reconcile, reconcileLease } from './polls/reconcile.js';
import { createTransactionPoll, type PollDirectory } from './polls/transaction-poll.js';
import { createIntentsRouter, createReconcileRouter } from './router.js';
import { createIntentService, type IntentServiceDeps } from './service.js';
import type { IntentStore } from './store.js';
import { createIntentStreams } from './stream/intent-streams.js';
import { createIntentStreamStore } from './stream/stream-store.js';
import { createMakeProgress } from './transition/progress.js';

/** The leases of this feature, which are seeded at boot. */
export const intentLeases = [reconcileLease] as const;

export interface IntentsDeps
  extends Pick<IntentServiceDeps, 'quoteFrom' | 'disputeOf' | 'standingOf' | 'onAttached'> {
  store: IntentStore;
  dueStore: DueStore;
  connection: Connection;
  streams: Pick<Streams, 'open'>;
  /** Null where none is configured: the anchor's records are then trusted. */
  ledger: Ledger | null;
  directory: IntentServiceDeps['directory'] &
    PollDirectory &
    Pick<AnchorDirectory, 'signingKeyOf' | 'isPollable'>;
  /** Sends the polls to anchors. */
  outbound: Outbound;
  /** Limits the callbacks per anchor. */
  limiter: Pick<RateLimiter, 'take'>;
  leases: Leases;
  inTransaction: InTransaction;
  pauseBeforeTry: PauseBeforeTry;
  writeEvent: Emit;
  markDays: MarkDays;
  random: Random;
  /** Address of this service as clients and anchors know it, without a trailing slash. */
  publicUrl: string;
  clock: Clock;
  pause: Pause;
  logger: Logger;
}

/** How long an error, a closed status or silence has to last before it decides an intent. */
const failureGraceMs = 86_400_000;

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
  const { isPollable } = directory;
  const { waits, giveFree } = createPlaces({ store: deps.dueStore, isPollable, clock });
  const ownership = createOwnership({ ...deps, waits });
  const { ledger } = deps;
  const asksLedger = ledger !== null;
  const limits = { failureGraceMs, ledger: asksLedger };
  const progress = createMakeProgress({ ...deps, ownership, limits, onLookUpDue: deps.onAttached });
  const service = createIntentService({ ...deps, ownership, waits, progress });
  const { answerOf } = service;
  const streams = createIntentStreamStore(deps.connection);
  const intentStreams = createIntentStreams({ ...deps, streams, answerOf });
  const takeStatusCallback = createTakeStatusCallback({
    store,
    progress,
    signingKeyOf: directory.signingKeyOf,
    noteUnreadable: directory.noteUnreadable,
    onDue: deps.onAttached,
    publicUrl,
    logger: deps.logger,
    clock,
  });
  const lookUpPayments =
    ledger === null ? undefined : createLookUpPayments({ ...deps, ledger, ownership, progress });
  const poll = createTransactionPoll(deps);
  const reconcile = createReconcile({ ...deps, progress, poll, lookUpPayments, giveFreePlaces: giveFree });
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
