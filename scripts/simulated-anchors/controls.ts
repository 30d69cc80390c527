import type { AnchorContext } from './context.js';
import { isAccount } from './identity.js';
import { amountForm } from './pricing.js';
import type { Ending } from './profiles.js';
import { type AddRoute, fieldsOf, Refusal } from './server.js';
import { stepsOfEnding } from './settlement.js';
import { transactionView } from './transfers.js';
import type { Withdrawals } from './withdrawals.js';

/**
 * Not part of any standard: `GET /simulate/ledger` says where wallets pay. `POST /simulate/transactions/{id}/ending`
 * {ending} decides how a withdrawal ends. `POST /simulate/transactions/{id}/payment` {stellar_transaction_id?, amount?,
 * from?, ending?} takes the place of a payment on the ledger where there is none.
 */
export function addControls(route: AddRoute, context: AnchorContext, withdrawals: Withdrawals): void {
  const known = (id = '') => {
    const withdrawal = withdrawals.find(id);
    if (withdrawal === undefined) throw new Refusal(404, 'transaction not found');
    return withdrawal;
  };
  const steady = { steady: true };
  route(
    'GET /simulate/ledger',
    (_, response) => response.json({ rpcUrl: context.ledger?.rpcUrl ?? null }),
    steady,
  );
  route(
    'POST /simulate/transactions/:id/payment',
    ({ params, body }, response) => {
      const withdrawal = known(params.id);
      const fields = fieldsOf(body);
      const [amount, from, ending] = [fields.get('amount'), fields.get('from'), fields.get('ending')];
      if (amount !== undefined && !amountForm.test(amount))
        throw new Refusal(400, 'amount must be a decimal');
      if (from !== undefined && !isAccount(from)) throw new Refusal(400, 'from must be a G… key');
      const stellarTransactionId = fields.get('stellar_transaction_id');
      const chosen = ending === undefined ? undefined : endingOf(ending);
      withdrawals.pay(withdrawal, { amount, from, stellarTransactionId, ending: chosen });
      response.json({ transaction: transactionView(context, withdrawal) });
    },
    steady,
  );
  route(
    'POST /simulate/transactions/:id/ending',
    ({ params, body }, response) => {
      const ending = endingOf(fieldsOf(body).get('ending') ?? '');
      withdrawals.choose(known(params.id), ending);
      response.json({ ending });
    },
    steady,
  );
}

function endingOf(text: string): Ending {
  if (Object.hasOwn(stepsOfEnding, text)) return text as Ending;
  throw new Refusal(400, `ending must be one of ${Object.keys(stepsOfEnding).join(', ')}`);
}
