import { Decimal } from 'decimal.js';
import type { IntentAnswer, IntentDispute } from '../../../contract/schemas/intents.js';
import { fiatAmount, minorUnitsOfAsset } from '../../amounts.rules.js';
import type { Standing } from '../reputation/what-counts.rules.js';
import type { Intent } from './intent.js';
import type { FoundPayment, PaymentState } from './payment/payment.js';
import { stepsOf } from './transition/steps.rules.js';

const shortfallPlaces = 9;

/** The URL to which the anchor reports status changes; the wallet passes it on as `on_change_callback`. */
function statusCallbackUrl(publicUrl: string, intentHash: string): string {
  return `${publicUrl}/api/intent/${intentHash}/status`;
}

/** The API representation of an intent. */
export function toAnswer(
  intent: Intent,
  told: { dispute: IntentDispute | null; standing: Standing | null; publicUrl: string },
): IntentAnswer {
  const { dispute, standing, publicUrl } = told;
  const { quote, minReceive } = intent;
  const minorUnits = minorUnitsOfAsset(intent.corridorTerms.buyAsset);
  return {
    intentHash: intent._id,
    status: intent.status,
    corridor: intent.corridor,
    anchorId: intent.anchorId,
    account: intent.account,
    sellAmount: intent.sellAmount,
    minReceive: minReceive === null ? null : fiatAmount(minReceive, minorUnits),
    deliveryMethod: intent.deliveryMethod,
    createdAt: intent.createdAt.toISOString(),
    expiresAt: intent.deadline.toISOString(),
    quote:
      quote === null
        ? null
        : {
            ...quote,
            receiveAmount: fiatAmount(quote.receiveAmount, minorUnits),
            quotedAt: quote.quotedAt.toISOString(),
          },
    statusCallbackUrl: statusCallbackUrl(publicUrl, intent._id),
    transaction: toTransaction(intent),
    payment: toPayment(intent.payment),
    outcome: toOutcome(intent, standing),
    dispute,
    steps: stepsOf(intent).map(({ kind, at, word }) => ({
      kind,
      at: at.toISOString(),
      transactionStatus: word ?? null,
    })),
  };
}

function toTransaction(intent: Intent): IntentAnswer['transaction'] {
  const { transactionId, claimedId, observations, problem } = intent;
  const id = transactionId ?? claimedId;
  if (id === undefined) return null;
  return {
    id,
    status: observations.status,
    lastSeenAt: instantOrNull(observations.lastAtMs),
    fundsReceivedAt: instantOrNull(observations.fundedAtMs),
    readyAt: instantOrNull(observations.readyAtMs),
    problem,
  };
}

function toPayment({ named, found }: PaymentState): IntentAnswer['payment'] {
  if (named.length === 0 && found === null) return null;
  return {
    named: named.map(({ hash, by, lookedUpAtMs, problem }) => ({
      hash,
      by,
      lookedUpAt: instantOrNull(lookedUpAtMs),
      problem,
    })),
    found: found === null ? null : toFound(found),
  };
}

function toFound(found: FoundPayment): NonNullable<NonNullable<IntentAnswer['payment']>['found']> {
  const { hash, operationId, ledger, from, fromMuxedId, to, toMuxedId, asset, amount, memo } = found;
  return {
    hash,
    namedBy: found.by,
    operationId,
    operation: found.kind,
    ledger,
    closedAt: new Date(found.closedAtMs).toISOString(),
    from,
    fromMuxedId,
    to,
    toMuxedId,
    asset,
    amount,
    memoType: memo?.type ?? null,
    memo: memo?.value ?? null,
    lookedUpAt: new Date(found.lookedUpAtMs).toISOString(),
    lookedUpIn: found.source,
  };
}

function toOutcome(intent: Intent, standing: Standing | null): IntentAnswer['outcome'] {
  const { outcome, observations, recoveredAt, unscoredReason } = intent;
  if (outcome === null || standing === null) return null;
  const { amountOut } = outcome;
  return {
    status: outcome.kind,
    reason: outcome.reason,
    recordedAt: outcome.recordedAt.toISOString(),
    amountOut:
      amountOut === null ? null : fiatAmount(amountOut, minorUnitsOfAsset(intent.corridorTerms.buyAsset)),
    paidOutAt: outcome.kind === 'settled' ? instantOrNull(observations.completedAtMs) : null,
    recoveredAt: recoveredAt?.toISOString() ?? null,
    settleSeconds: outcome.settleSeconds,
    shortfall:
      outcome.shortfallPpb === null
        ? null
        : new Decimal(outcome.shortfallPpb).div(1e9).toFixed(shortfallPlaces),
    scored: unscoredReason === null,
    unscoredReason,
    evidence: outcome.evidence,
    ...standing,
  };
}

function instantOrNull(ms: number | null | undefined): string | null {
  return ms == null ? null : new Date(ms).toISOString();
}
