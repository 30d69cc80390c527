import { initServer } from '@ts-rest/express';
import { intentsContract, reconcileContract } from '../../../contract/endpoints/intents.js';
import type { ReconcileAnswer } from '../../../contract/schemas/intents.js';
import { ApiError } from '../../errors.js';
import { rawBody } from '../../http/json-body.js';
import type { IntentService } from './service.js';

/** `Signature`, or the name it had before SEP-24 settled on that. */
const signatureHeaders = ['signature', 'x-stellar-signature'];

export function createIntentsRouter({ intents }: { intents: IntentService }) {
  return initServer().router(intentsContract, {
    createIntent: async ({ body, res }) => {
      const { created, answer } = await intents.register(body);
      if (!created) return { status: 200, body: answer };
      res.setHeader('Location', `/api/intent/${answer.intentHash}`);
      return { status: 201, body: answer };
    },
    getIntent: async ({ params }) => ({ status: 200, body: await intents.read(params.intentHash) }),
    reportStatus: async ({ params, body, req }) => {
      const signature = signatureHeaders.map((name) => req.get(name)).find((value) => value !== undefined);
      const answer = await intents.takeStatusCallback(params.intentHash, {
        signature,
        rawBody: rawBody(req),
        body,
      });
      return { status: 200, body: answer };
    },
  });
}

/** What a leased run comes to: it ran, or another one has been running since. */
type RunOutcome<T> = { ran: true; value: T } | { ran: false; startedAt: string };

export function createReconcileRouter(deps: { reconcile: { run(): Promise<RunOutcome<ReconcileAnswer>> } }) {
  return initServer().router(reconcileContract, {
    reconcile: async () => {
      const outcome = await deps.reconcile.run();
      if (outcome.ran) return { status: 200, body: outcome.value };
      const { startedAt } = outcome;
      throw new ApiError('RUN_IN_PROGRESS', `A reconciliation has been running since ${startedAt}.`, {
        startedAt,
      });
    },
  });
}
