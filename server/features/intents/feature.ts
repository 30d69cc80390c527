import type { Ledger } from '../../ledger/ledger.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import type { Leases } from '../../mongo/leases.js';
import type { InTransaction, PauseBeforeTry } from '../../mongo/transactions.js';
import type { Outbound } from '../../outbound/outbound.js';
import type { Clock, Logger, Pause } from '../../ports.js';
import type { Streams } from '../../streams/streams.js';
import type { Emit } from '../../webhooks/outbox.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { Rates } from '../rates/service.js';
import type { MarkDays, Standings } from '../reputation/count-days.js';
import { createTakeStatusCallback } from './callback/status-callback.js';
import { createAttach } from './holder/attach.js';
import { createPassing } from './holder/passing.js';
import { createIntentStreams } from './intent-streams.js';
import { createLookUpPayments } from './payment/payment-look-ups.js';
import type { DueStore, HasToWait } from './polls/due-store.js';
import { createReconcile, reconcileLease } from './polls/reconcile.js';
import { createTransactionPoll } from './polls/transaction-poll.js';
import { createIntentsRouter, createReconcileRouter } from './router.js';
import { createIntentService, type IntentServiceDeps } from './service.js';
import type { IntentStore } from './store.js';
import { createMakeProgress } from './transition/progress.js';

/** The leases of this feature, which are seeded at boot. */
export const intentLeases = [reconcileLease] as const;

export interface IntentsDeps {
  store: IntentStore;
  dueStore: DueStore;
  streams: Pick<Streams, 'open'>;
  /** Null where none is configured: the anchor's records are then trusted. */
  ledger: Ledger | null;
  directory: AnchorDirectory;
  /** Sends the polls to anchors. */
  outbound: Outbound;
  /** Limits the callbacks per anchor. */
  limiter: Pick<RateLimiter, 'take'>;
  leases: Leases;
  inTransaction: InTransaction;
  pauseBeforeTry: PauseBeforeTry;
  writeEvent: Emit;
  markDays: MarkDays;
  quoteFrom: Rates['quoteFrom'];
  standingOf: Standings['standingOf'];
  disputeOf: IntentServiceDeps['disputeOf'];
  /** Called when a transaction or a payment is to be looked at soon: it has to be observed before it is paid. */
  onAttached: () => void;
  /** Address of this service as clients and anchors know it, without a trailing slash. */
  publicUrl: string;
  clock: Clock;
  pause: Pause;
  logger: Logger;
}

export function createIntentsFeature(deps: IntentsDeps) {
  const { directory, ledger } = deps;
  const waits: HasToWait = async ({ anchorId, client }) =>
    client !== null && directory.isPollable(anchorId) && (await deps.dueStore.countPlaces(client)) <= 0;
  const passing = createPassing(deps);
  const progress = createMakeProgress({ ...deps, passing, limits: { ledger: ledger !== null } });
  const attaching = createAttach({ ...deps, passing, waits, progress });
  const service = createIntentService({ ...deps, ...attaching, waits });
  const intentStreams = createIntentStreams({ ...deps, answerOf: service.answerOf });
  const takeStatusCallback = createTakeStatusCallback({ ...deps, passing, progress });
  const lookUpPayments =
    ledger === null ? undefined : createLookUpPayments({ ...deps, ledger, passing, progress });
  const reconcile = createReconcile({ ...deps, progress, poll: createTransactionPoll(deps), lookUpPayments });
  return {
    router: createIntentsRouter({ ...deps, service, takeStatusCallback, intentStreams }),
    reconcileRouter: createReconcileRouter(reconcile),
    /** The job that checks the open intents that are due. */
    reconcile,
    /** Ends the change stream behind the streams of intents. */
    stopStreams: intentStreams.stop,
  };
}
