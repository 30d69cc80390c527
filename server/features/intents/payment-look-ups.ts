import type { Ledger, LedgerAnswer } from '../../ledger/ledger.js';
import { isDuplicateKey } from '../../mongo/failures.js';
import type { HeldLease } from '../../mongo/leases.js';
import type { PauseBeforeTry } from '../../mongo/refused-writes.js';
import type { Clock, Logger } from '../../ports.js';
import { allEnded } from '../../timing.js';
import type { Intent } from './intent.js';
import type { LookUpStore } from './look-up-store.js';
import type { Ownership } from './ownership.js';
import type { Finding, FoundPayment, NamedPayment } from './payment.js';
import { matchPayment, type PaymentMatch } from './payment-match.rules.js';
import { isUndecided, withNamed } from './payment-state.rules.js';
import { ContendedIntentError, type MakeProgress } from './progress.js';
import type { IntentStore } from './store.js';
import { payableUntilMs } from './transition.rules.js';

export interface PaymentLookUpsDeps {
  store: Pick<IntentStore, 'findCurrent' | 'findByTransaction' | 'findFirstClaimant' | 'saveProgress'>;
  lookUps: Pick<LookUpStore, 'claimDue'>;
  ledger: Pick<Ledger, 'find'>;
  ownership: Pick<Ownership, 'passToPayer'>;
  progress: MakeProgress;
  clock: Clock;
  pauseBeforeTry: PauseBeforeTry;
  logger: Logger;
}

/** Looks up every named payment that is due, while `mayGoOn`. Resolves to the number of intents that were processed. */
export type LookUpPayments = (mayGoOn: () => boolean, lease?: HeldLease) => Promise<number>;

/** A look-up first moves the next one this far ahead: if the process is killed during it, it is repeated then. */
const claimMs = 60_000;
const atOnce = 8;
/** Most payers of one transaction that are followed up; a transaction with more is no withdrawal of a wallet. */
const mostPayers = 3;
/** How often a payment is tried against intents that change meanwhile. Their polls run beside the look-ups. */
const mostTries = 5;

export function createLookUpPayments(deps: PaymentLookUpsDeps): LookUpPayments {
  const { store, lookUps, ledger, ownership, progress, clock, pauseBeforeTry, logger } = deps;

  async function lookUp(claimed: Intent, named: NamedPayment, lease: HeldLease | undefined): Promise<void> {
    let answer: Promise<LedgerAnswer> | undefined;
    const ask = () => {
      answer ??= ledger.find(named.hash, claimed.createdAt.getTime());
      return answer;
    };
    let intent: Intent | null = claimed;
    for (let tries = 0; tries < mostTries && intent !== null; tries += 1) {
      await pauseBeforeTry(tries);
      if ((await tryLookUp(intent, named, ask, lease)) === 'done') return;
      intent = await store.findCurrent(claimed._id);
      if (intent !== null && !isUndecided(intent.payment, named)) return;
    }
    // The payment is looked up again when the claim runs out.
  }

  async function tryLookUp(
    intent: Intent,
    named: NamedPayment,
    ask: () => Promise<LedgerAnswer>,
    lease: HeldLease | undefined,
  ): Promise<'done' | 'changed_meanwhile'> {
    const { anchorId, claimedId } = intent;
    const isClaim = intent.transactionId === undefined && claimedId !== undefined;
    const holder = isClaim ? await store.findByTransaction(anchorId, claimedId) : intent;
    const instructions = holder?.payment.instructions ?? [];
    const { by, hash } = named;
    const tell = (finding: Finding) =>
      progress(intent._id, { observation: null, lookUp: { by, hash, finding }, ...(lease ? { lease } : {}) });
    if (holder === null || instructions.length === 0) {
      await tell({ kind: 'problem', problem: 'no_instructions', contradicts: false });
      return 'done';
    }
    const answer = await ask();
    if (answer.kind === 'unknown')
      logger.warn({ why: answer.why, detail: answer.detail }, 'ledger not known');
    const match = matchOf(answer, intent, holder);
    if (match.kind === 'finding') {
      // Before the finding, which may be final: nothing would look this payment up again for payers that were not told.
      if (!isClaim && !(await tellPayers(intent, named, match.payers))) return 'changed_meanwhile';
      await tell(match.finding);
      return 'done';
    }
    for (const found of match.candidates.map((each) => ({ ...each, by, lookedUpAtMs: clock() }))) {
      try {
        if (!isClaim) {
          await tell({ kind: 'found', payment: found });
          return 'done';
        }
        const passed = await ownership.passToPayer(holder, intent, found, lease);
        if (passed === 'changed_meanwhile') return passed;
        if (passed === 'kept') break;
        await progress(intent._id, { observation: null, ...(lease ? { lease } : {}) });
        return 'done';
      } catch (error) {
        // This operation is the payment of another intent; the transaction may hold a further one.
        if (!isDuplicateKey(error)) throw error;
      }
    }
    await tell({ kind: 'problem', problem: 'already_used', contradicts: false });
    return 'done';
  }

  /**
   * Other accounts that paid this withdrawal may have claimed it: the look-ups of their intents become due at once, with
   * this payment. This includes those that named it themselves, perhaps before any record had instructions. Those that were
   * told already are left as they are. False where one of them changed meanwhile and was not told.
   */
  async function tellPayers(
    intent: Intent,
    { hash }: NamedPayment,
    payers: readonly string[],
  ): Promise<boolean> {
    const { anchorId, transactionId } = intent;
    if (transactionId === undefined) return true;
    for (const account of payers.slice(0, mostPayers)) {
      const claimant = await store.findFirstClaimant({ anchorId, transactionId, account });
      if (claimant === null) continue;
      const payment = withNamed(claimant.payment, hash, 'anchor', clock());
      if (payment === claimant.payment) continue;
      const change = { payment, lookUpDue: new Date(clock()) };
      if (!(await store.saveProgress({ intent: claimant, change, pendingAggregation: false }))) return false;
    }
    return true;
  }

  async function lookUpAll(intent: Intent, lease: HeldLease | undefined): Promise<void> {
    try {
      for (const named of intent.payment.named) {
        if (isUndecided(intent.payment, named)) await lookUp(intent, named, lease);
      }
    } catch (error) {
      if (!(error instanceof ContendedIntentError)) throw error;
      logger.warn({ err: error }, 'payment left for the next run');
    }
  }

  async function claimSome(): Promise<Intent[]> {
    const claimed: Intent[] = [];
    while (claimed.length < atOnce) {
      const nowMs = clock();
      const intent = await lookUps.claimDue(new Date(nowMs), new Date(nowMs + claimMs));
      if (intent === null) break;
      claimed.push(intent);
    }
    return claimed;
  }

  return async (mayGoOn, lease) => {
    let lookedUp = 0;
    while (mayGoOn()) {
      const claimed = await claimSome();
      if (claimed.length === 0) break;
      await allEnded(claimed.map((intent) => lookUpAll(intent, lease)));
      lookedUp += claimed.length;
    }
    return lookedUp;
  };
}

type Matched =
  | { kind: 'candidates'; candidates: Omit<FoundPayment, 'by' | 'lookedUpAtMs'>[] }
  | { kind: 'finding'; finding: Finding; payers: string[] };

function matchOf(answer: LedgerAnswer, intent: Intent, holder: Intent): Matched {
  const problem = (
    finding: Omit<Extract<Finding, { kind: 'problem' }>, 'kind'>,
    payers: string[] = [],
  ): Matched => ({
    kind: 'finding',
    finding: { kind: 'problem', ...finding },
    payers,
  });
  if (answer.kind === 'unknown') {
    const reach = answer.why === 'out_of_range';
    return problem({ problem: reach ? 'out_of_range' : 'ledger_unavailable', contradicts: false });
  }
  // The time for which the payment has been missing decides what that means (payment-state.rules.ts).
  if (answer.kind === 'not_found') return problem({ problem: 'not_found', contradicts: false });
  const { transaction, source } = answer;
  const terms = {
    account: intent.account,
    sellAsset: intent.corridorTerms.sellAsset,
    sellAmount: intent.sellAmount,
    createdAtMs: intent.createdAt.getTime(),
    payableUntilMs: payableUntilMs(intent.deadline.getTime(), holder.observations.closedSinceMs),
  };
  const match: PaymentMatch = matchPayment(transaction, terms, holder.payment.instructions);
  if (match.kind === 'refused') {
    const { problem: why, contradicts, payers } = match;
    return problem({ problem: why, contradicts }, payers);
  }
  const { hash, ledger, closedAtMs, memo } = transaction;
  return {
    kind: 'candidates',
    candidates: match.payments.map((payment) => ({ ...payment, hash, ledger, closedAtMs, memo, source })),
  };
}
