import { Decimal } from 'decimal.js';
import type { IntentAnswer, IntentDispute } from '../../../contract/schemas/intents.js';
import { fiatAmount, minorUnitsOfAsset } from '../../amounts.rules.js';
import type { Standing } from '../reputation/what-counts.rules.js';
import type { Intent } from './intent.js';
import type { FoundPayment, PaymentState } from './payment/payment-state.rules.js';

const shortfallPlaces = 9;

function toTransaction(intent: Intent): IntentAnswer['transaction'] {
  const { transactionId, claimedId, observations, problem } = intent;
  const id = transactionId ?? claimedId;
  if (id === undefined) return null;
  return {
    id,
    problem,
    status: observations.status,
    lastSeenAt: instantOrNull(observations.lastAtMs),
    fundsReceivedAt: instantOrNull(observations.fundedAtMs),
    readyAt: instantOrNull(observations.readyAtMs),
  };
}

function toPayment({ named, found }: PaymentState): IntentAnswer['payment'] {
  if (named.length === 0 && found === null) return null;
  return {
    named: named.map(({ hash, by, lookedUpAtMs, problem }) => ({
      hash,
      by,
      problem,
      lookedUpAt: instantOrNull(lookedUpAtMs),
    })),
    found: found && toFound(found),
  };
}

function toFound(found: FoundPayment): NonNullable<NonNullable<IntentAnswer['payment']>['found']> {
  const { by, kind, position, closedAtMs, memo, lookedUpAtMs, source, ...shown } = found;
  return {
    ...shown,
    namedBy: by,
    operation: kind,
    closedAt: new Date(closedAtMs).toISOString(),
    memoType: memo?.type ?? null,
    memo: memo?.value ?? null,
    lookedUpAt: new Date(lookedUpAtMs).toISOString(),
    lookedUpIn: source,
  };
}

function toOutcome(intent: Intent, standing: Standing | null): IntentAnswer['outcome'] {
  const { outcome, observations, recoveredAt, unscoredReason } = intent;
  if (outcome === null || standing === null) return null;
  const { kind, reason, amountOut, settleSeconds, shortfallPpb, evidence } = outcome;
  return {
    status: kind,
    reason,
    settleSeconds,
    evidence,
    recordedAt: outcome.recordedAt.toISOString(),
    amountOut: amountOut && fiatAmount(amountOut, minorUnitsOfAsset(intent.corridorTerms.buyAsset)),
    paidOutAt: kind === 'settled' ? instantOrNull(observations.completedAtMs) : null,
    recoveredAt: recoveredAt?.toISOString() ?? null,
    shortfall: shortfallPpb === null ? null : new Decimal(shortfallPpb).div(1e9).toFixed(shortfallPlaces),
    scored: unscoredReason === null,
    unscoredReason,
    ...standing,
  };
}

function instantOrNull(ms: number | null | undefined): string | null {
  return ms == null ? null : new Date(ms).toISOString();
}

/** The API representation of an intent. */
export function toAnswer(
  intent: Intent,
  told: { dispute: IntentDispute | null; standing: Standing | null; publicUrl: string },
): IntentAnswer {
  const { dispute, standing, publicUrl } = told;
  const { status, corridor, anchorId, account, sellAmount, minReceive, deliveryMethod, quote } = intent;
  const minorUnits = minorUnitsOfAsset(intent.corridorTerms.buyAsset);
  return {
    intentHash: intent._id,
    status,
    corridor,
    anchorId,
    account,
    sellAmount,
    deliveryMethod,
    minReceive: minReceive === null ? null : fiatAmount(minReceive, minorUnits),
    createdAt: intent.createdAt.toISOString(),
    expiresAt: intent.deadline.toISOString(),
    quote: quote && {
      ...quote,
      receiveAmount: fiatAmount(quote.receiveAmount, minorUnits),
      quotedAt: quote.quotedAt.toISOString(),
    },
    statusCallbackUrl: `${publicUrl}/api/intent/${intent._id}/status`,
    transaction: toTransaction(intent),
    payment: toPayment(intent.payment),
    outcome: toOutcome(intent, standing),
    dispute,
    steps: intent.steps.map(({ kind, at, word }) => ({
      kind,
      at: at.toISOString(),
      transactionStatus: word ?? null,
    })),
  };
}
