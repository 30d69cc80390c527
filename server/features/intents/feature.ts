import { initServer } from '@ts-rest/express';
import { parseJson } from '../../../contract/anchor-documents/json.js';
import { intentsContract, reconcileContract } from '../../../contract/endpoints/intents.js';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import { resultOf } from '../../errors.js';
import { clientHash } from '../../http/client-key.js';
import { rawBody } from '../../http/json-body.js';
import { enforceLimit, markVerified } from '../../http/rate-limit.js';
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
import { createTakeStatusCallback, type TakeStatusCallback } from './callback/status-callback.js';
import { createAttach } from './holder/attach.js';
import { createPassing } from './holder/passing.js';
import { createIntentStreams, type IntentStreams } from './intent-streams.js';
import { createLookUpPayments } from './payment/payment-look-ups.js';
import type { DueStore, HasToWait } from './polls/due-store.js';
import { createReconcile, reconcileLease } from './polls/reconcile.js';
import { createTransactionPoll } from './polls/transaction-poll.js';
import { createIntentService, type IntentService, type IntentServiceDeps } from './service.js';
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
    reconcileRouter: initServer().router(reconcileContract, {
      reconcile: async () => ({ status: 200, body: resultOf(await reconcile()) }),
    }),
    /** The job that checks the open intents that are due. */
    reconcile,
    /** Ends the change stream behind the streams of intents. */
    stopStreams: intentStreams.stop,
  };
}

function createIntentsRouter(
  deps: Pick<IntentsDeps, 'limiter' | 'streams'> & {
    service: IntentService;
    takeStatusCallback: TakeStatusCallback;
    intentStreams: Pick<IntentStreams, 'prepare'>;
  },
) {
  return initServer().router(intentsContract, {
    createIntent: async ({ body, res }) => {
      const { created, answer } = await deps.service.register(body, clientHash(res.locals.clientKey));
      if (!created) return { status: 200, body: answer };
      res.setHeader('Location', `/api/intent/${answer.intentHash}`);
      return { status: 201, body: answer };
    },
    getIntent: async ({ params }) => ({ status: 200, body: await deps.service.read(params.intentHash) }),
    stream: async ({ params, req, res }) => {
      const prepare = () => deps.intentStreams.prepare(params.intentHash);
      return { status: 200, body: await deps.streams.open<IntentAnswer>(req, res, prepare) };
    },
    attachTransaction: async ({ params, body }) => ({
      status: 200,
      body: await deps.service.attach(params.intentHash, body),
    }),
    reportStatus: async ({ params, req, res }) => {
      // The second is the name that it had before SEP-24 settled on the first.
      const signature = req.get('signature') ?? req.get('x-stellar-signature');
      // Parsed once more, since the middleware's parser loses the last digits of long ids.
      const raw = rawBody(req);
      const body = raw.length === 0 ? {} : parseJson(raw.toString());
      const callback = { signature, rawBody: raw, body };
      const countVerified = async (anchorId: string) => {
        markVerified(res);
        await enforceLimit(deps.limiter, res, rateLimitClasses.callback, `callback|${anchorId}`);
      };
      return { status: 200, body: await deps.takeStatusCallback(params.intentHash, callback, countVerified) };
    },
  });
}
