import { initServer } from '@ts-rest/express';
import { ratesContract } from '../../../contract/endpoints/rates.js';
import { setFreshness } from '../../http/send-json.js';
import type { Rates } from './service.js';

export function createRatesRouter(deps: {
  rates: Pick<Rates, 'quote'>;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}) {
  return initServer().router(ratesContract, {
    getRates: async ({ params, query, res }) => {
      const { answer, freshForMs } = await deps.rates.quote(params.corridor, query);
      setFreshness(res, freshForMs / 1_000, { public: deps.publicCache });
      return { status: 200, body: answer };
    },
  });
}
