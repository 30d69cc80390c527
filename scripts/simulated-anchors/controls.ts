import type { AnchorContext } from './context.js';
import { isAccount } from './identity.js';
import { amountForm } from './pricing.js';
import { type Ending, endings, type Profile } from './profiles.js';
import { type AddRoute, fieldsOf, Refusal } from './server.js';
import { transactionView } from './transfers.js';
import type { Payment, Withdrawals } from './withdrawals.js';

/**
 * Not part of any standard: `GET /simulate/ledger` says where wallets pay. `POST /simulate/transactions/{id}/ending`
 * {ending} decides how a withdrawal ends. `POST /simulate/transactions/{id}/payment` {stellar_transaction_id?, amount?,
 * from?, ending?} takes the place of a payment on the ledger where there is none. `POST /simulate/price` {factor} makes
 * the anchor promise so many times its price.
 */
export function addControls(
  route: AddRoute,
  context: AnchorContext,
  withdrawals: Withdrawals,
  setProfile: (patch: Pick<Profile, 'priceFactor'>) => void,
): void {
  const known = (id = '') => {
    const withdrawal = withdrawals.find(id);
    if (withdrawal === undefined) throw new Refusal(404, 'transaction not found');
    return withdrawal;
  };
  const steady = { steady: true };
  route(
    'GET /simulate/ledger',
    (_request, response) => response.json({ rpcUrl: context.ledger?.rpcUrl ?? null }),
    steady,
  );
  route(
    'POST /simulate/price',
    ({ body }, response) => {
      const factor = fieldsOf(body).get('factor') ?? '1';
      if (!/^\d{1,6}(\.\d{1,9})?$/.test(factor) || Number(factor) === 0)
        throw new Refusal(400, 'factor must be a decimal above 0');
      setProfile({ priceFactor: factor });
      response.json({ factor });
    },
    steady,
  );
  route(
    'POST /simulate/transactions/:id/payment',
    ({ params, body }, response) => {
      const withdrawal = known(params.id);
      withdrawals.pay(withdrawal, readPayment(fieldsOf(body)));
      response.json({ transaction: transactionView(context, withdrawal) });
    },
    steady,
  );
  route(
    'POST /simulate/transactions/:id/ending',
    ({ params, body }, response) => {
      const withdrawal = known(params.id);
      const ending = endingOf(fieldsOf(body).get('ending') ?? '');
      withdrawals.choose(withdrawal, ending);
      response.json({ ending });
    },
    steady,
  );
}

function readPayment(fields: ReadonlyMap<string, string>): Payment {
  const amount = fields.get('amount');
  const from = fields.get('from');
  const ending = fields.get('ending');
  if (amount !== undefined && !amountForm.test(amount)) throw new Refusal(400, 'amount must be a decimal');
  if (from !== undefined && !isAccount(from)) throw new Refusal(400, 'from must be a G… key');
  return {
    amount,
    from,
    ending: ending === undefined ? undefined : endingOf(ending),
    stellarTransactionId: fields.get('stellar_transaction_id'),
  };
}

function endingOf(text: string): Ending {
  const ending = endings.find((each) => each === text);
  if (ending === undefined) throw new Refusal(400, `ending must be one of ${endings.join(', ')}`);
  return ending;
}
