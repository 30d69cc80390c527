import { initServer } from '@ts-rest/express';
import { adminDisputesContract, disputesContract } from '../../../contract/endpoints/disputes.js';
import { showLimit } from '../../http/rate-limit.js';
import type { DisputeService } from './service.js';

export function createDisputesRouter(deps: { disputes: Pick<DisputeService, 'file'> }) {
  return initServer().router(disputesContract, {
    fileDispute: async ({ body, res }) => {
      const { created, answer } = await deps.disputes.file(body, res.locals.clientKey, (state) =>
        showLimit(res, state),
      );
      if (!created) return { status: 200, body: answer };
      // A dispute is read with its intent.
      res.setHeader('Location', `/api/intent/${answer.intentHash}`);
      return { status: 201, body: answer };
    },
  });
}

export function createAdminDisputesRouter(deps: { disputes: Pick<DisputeService, 'list' | 'resolve'> }) {
  return initServer().router(adminDisputesContract, {
    listDisputes: async ({ query }) => ({ status: 200, body: await deps.disputes.list(query) }),
    resolveDispute: async ({ body }) => ({ status: 200, body: await deps.disputes.resolve(body) }),
  });
}
