import pLimit from 'p-limit';
import type { Ledger } from '../../../ledger/ledger.js';
import type { LedgerAnswer } from '../../../ledger/ledger-transaction.rules.js';
import { isDuplicateKey } from '../../../mongo/failures.js';
import type { HeldLease } from '../../../mongo/leases.js';
import { ContendedWriteError } from '../../../mongo/transactions.js';
import type { Clock, Logger } from '../../../ports.js';
import type { Passing } from '../holder/passing.js';
import type { Intent } from '../intent.js';
import type { DueStore } from '../polls/due-store.js';
import { allEnded, type Run } from '../polls/reconcile.js';
import type { IntentStore } from '../store.js';
import type { MakeProgress } from '../transition/progress.js';
import { matchPayment, type Refusal, refused } from './payment-match.rules.js';
import { type Finding, type FoundPayment, isUndecided, type NamedPayment } from './payment-state.rules.js';

const atOnce = 8;
/** Most payers of one transaction that are followed up; a transaction with more is no withdrawal of a wallet. */
const mostPayers = 3;

/** Looks up the named payments that are due, clients in turn. */
export function createLookUpPayments(deps: {
  store: Pick<IntentStore, 'findByHash'>;
  dueStore: Pick<DueStore, 'listLookUps'>;
  ledger: Pick<Ledger, 'find'>;
  passing: Pick<Passing, 'passToPayer'>;
  progress: MakeProgress;
  clock: Clock;
  logger: Logger;
}): (run: Run) => Promise<void> {
  const { store, dueStore, ledger, passing, progress, clock, logger } = deps;

  /** False where the holder changed meanwhile: nothing was written, and the look-up stays due. */
  async function lookUp(intent: Intent, { by, hash }: NamedPayment, lease: HeldLease): Promise<boolean> {
    const tell = async (finding: Finding) => {
      await progress(intent._id, { learned: { by, hash, finding }, lease });
      return true;
    };
    const answer = await ledger.find(hash, intent.createdAt.getTime());
    if (answer.kind === 'unknown')
      logger.warn({ why: answer.why, detail: answer.detail }, 'ledger not known');
    const match = matchOf(answer, intent);
    if ('problem' in match) {
      const { problem, contradicts, payers } = match;
      for (const payer of payers.slice(0, mostPayers)) {
        const passed = await passing.passToPayer(intent, payer, lease);
        if (passed !== 'no_claimant') return passed !== 'changed_meanwhile';
      }
      return tell({ kind: 'problem', problem, contradicts });
    }
    for (const candidate of match) {
      try {
        return await tell({ kind: 'found', payment: { ...candidate, by, lookedUpAtMs: clock() } });
      } catch (error) {
        // This operation is the payment of another intent; the transaction may hold a further one.
        if (!isDuplicateKey(error)) throw error;
      }
    }
    return tell({ kind: 'problem', problem: 'already_used', contradicts: false });
  }

  async function lookUpAll(intentHash: string, { lease, counts, mayGoOn }: Run): Promise<void> {
    const intent = mayGoOn() ? await store.findByHash(intentHash) : null;
    if (intent === null) return;
    let isTold = false;
    try {
      for (const named of intent.payment.named) {
        if (isUndecided(intent.payment, named)) isTold = (await lookUp(intent, named, lease)) || isTold;
      }
    } catch (error) {
      if (!(error instanceof ContendedWriteError)) throw error;
      logger.warn({ err: error }, 'payment left for the next run');
    }
    // A run goes on while it gets something done: what was left as it was waits for the next one.
    if (isTold) counts.lookedUp += 1;
  }

  return async (run) => {
    const limit = pLimit(atOnce);
    const due = await dueStore.listLookUps(new Date(clock()));
    await allEnded(due.map((intentHash) => limit(() => lookUpAll(intentHash, run))));
  };
}

/** The payments of the transaction that may be the intent's, or why there is none. */
function matchOf(
  answer: LedgerAnswer,
  intent: Intent,
): Refusal | Omit<FoundPayment, 'by' | 'lookedUpAtMs'>[] {
  const contradicts = false;
  if (answer.kind === 'unknown')
    return refused(answer.why === 'out_of_range' ? 'out_of_range' : 'ledger_unavailable', { contradicts });
  // The time for which the payment has been missing decides what that means (payment-state.rules.ts).
  if (answer.kind === 'not_found') return refused('not_found', { contradicts });
  const { transaction, source } = answer;
  const match = matchPayment(transaction, intent);
  if ('problem' in match) return match;
  const { hash, ledger, closedAtMs, memo } = transaction;
  return match.map((payment) => ({ ...payment, hash, ledger, closedAtMs, memo, source }));
}
