import type { AnchorContext } from './context.js';
import type { Ending } from './profiles.js';
import { type AddRoute, fieldsOf, Refusal } from './server.js';
import { stepsOfEnding } from './settlement.js';
import type { Withdrawals } from './withdrawals.js';

/**
 * Not part of any standard: `GET /simulate/ledger` says where wallets pay, and `POST /simulate/transactions/{id}/ending`
 * {ending} decides how a withdrawal ends.
 */
export function addControls(route: AddRoute, context: AnchorContext, withdrawals: Withdrawals): void {
  const steady = { steady: true };
  route('GET /simulate/ledger', steady, (_, response) =>
    response.json({ rpcUrl: context.ledger?.rpcUrl ?? null }),
  );
  route('POST /simulate/transactions/:id/ending', steady, ({ params: { id = '' }, body }, response) => {
    const ending = fieldsOf(body).get('ending') ?? '';
    if (!Object.hasOwn(stepsOfEnding, ending))
      throw new Refusal(400, `ending must be one of ${Object.keys(stepsOfEnding).join(', ')}`);
    const withdrawal = withdrawals.find(id);
    if (withdrawal === undefined) throw new Refusal(404, 'transaction not found');
    withdrawals.choose(withdrawal, ending as Ending);
    response.json({ ending });
  });
}
