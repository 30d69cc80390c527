import { initServer } from '@ts-rest/express';
import { parseJson } from '../../../contract/anchor-documents/json.js';
import { intentsContract, reconcileContract } from '../../../contract/endpoints/intents.js';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import { ApiError } from '../../errors.js';
import { clientHash } from '../../http/client-key.js';
import { rawBody } from '../../http/json-body.js';
import { enforceLimit, markVerified } from '../../http/rate-limit.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import type { Streams } from '../../streams/streams.js';
import type { TakeStatusCallback } from './callback/status-callback.js';
import type { IntentStreams } from './intent-streams.js';
import type { Reconcile } from './polls/reconcile.js';
import type { IntentService } from './service.js';

/** `Signature`, or the name it had before SEP-24 settled on that. */
const signatureHeaders = ['signature', 'x-stellar-signature'];

export function createIntentsRouter(deps: {
  service: IntentService;
  takeStatusCallback: TakeStatusCallback;
  limiter: Pick<RateLimiter, 'take'>;
  streams: Pick<Streams, 'open'>;
  intentStreams: Pick<IntentStreams, 'prepare'>;
}) {
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
      const signature = signatureHeaders.map((name) => req.get(name)).find((value) => value !== undefined);
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

export function createReconcileRouter(reconcile: Reconcile) {
  return initServer().router(reconcileContract, {
    reconcile: async () => {
      const outcome = await reconcile();
      if (outcome.ran) return { status: 200, body: outcome.value };
      const { startedAt } = outcome;
      throw new ApiError('RUN_IN_PROGRESS', `A reconciliation has been running since ${startedAt}.`, {
        startedAt,
      });
    },
  });
}
