import { MuxedAccount, StrKey } from '@stellar/stellar-base';
import { baseAccount } from '../simulated-ledger/entries.js';
import type { SimulatedLedger } from '../simulated-ledger/index.js';
import type { AnchorContext } from './context.js';
import { Refusal } from './server.js';
import { memoOf } from './transfers.js';
import type { Withdrawals } from './withdrawals.js';

/** Watches the ledger for payments to the anchor's account, as a real anchor does, and books them by their memo. */
export function createLedgerWatch(
  ledger: Pick<SimulatedLedger, 'paymentsAfter' | 'latest'>,
  { receivingAccount }: AnchorContext,
  withdrawals: Withdrawals,
) {
  let seen = 0;
  return function look(): void {
    const latest = ledger.latest();
    for (const { from, to, amount, hash, memo } of ledger.paymentsAfter(seen)) {
      if (baseAccount(to) !== receivingAccount) continue;
      const id = StrKey.isValidMed25519PublicKey(to)
        ? MuxedAccount.fromAddress(to, '0').id()
        : String(memo.value);
      const paid = withdrawals.all().find((each) => memoOf(each.id) === id);
      if (paid === undefined) continue;
      const payment = {
        amount: amount.replace(/\.?0+$/, ''),
        from: baseAccount(from),
        stellarTransactionId: hash,
      };
      try {
        withdrawals.pay(paid, payment);
      } catch (error) {
        // The withdrawal was paid before.
        if (!(error instanceof Refusal)) throw error;
      }
    }
    seen = latest;
  };
}
