import type { CreateIntentBody } from '../../../contract/schemas/intents.js';
import { parsePublicKey } from '../../../contract/verification/strkey.js';
import type { Corridor } from '../anchors/fleet.rules.js';
import type { IntentDocument, StoredQuote } from './intent-document.js';
import { nothingSeen } from './settle-time.rules.js';
import { defaultLifetimeMs, plainAmount } from './terms.rules.js';

/** The document of an intent that was just accepted. The nonce stays behind: its part in the hash is all we need. */
export function newIntent(accepted: {
  intentHash: string;
  body: CreateIntentBody;
  corridor: Pick<Corridor, 'id' | 'sellAsset' | 'buyAsset' | 'overdueAfterSeconds'>;
  quote: StoredQuote | null;
  nowMs: number;
}): IntentDocument {
  const { intentHash, body, corridor, quote, nowMs } = accepted;
  const { sellAsset, buyAsset, overdueAfterSeconds } = corridor;
  const now = new Date(nowMs);
  const deadline = new Date(body.expiresAt ?? nowMs + defaultLifetimeMs);
  const attached = body.anchorTransactionId !== undefined;
  return {
    _id: intentHash,
    anchorId: body.anchorId,
    corridor: corridor.id,
    account: parsePublicKey(body.account).account,
    sellAmount: plainAmount(body.sellAmount),
    minReceive: body.minReceive === undefined ? null : plainAmount(body.minReceive),
    deliveryMethod: body.deliveryMethod ?? null,
    createdAt: now,
    deadline,
    quote,
    corridorTerms: { sellAsset, buyAsset, overdueAfterSeconds },
    status: 'pending',
    ...(body.anchorTransactionId === undefined ? {} : { transactionId: body.anchorTransactionId }),
    attachedAt: attached ? now : null,
    dialect: null,
    sightings: nothingSeen,
    amountIn: null,
    recoveredAt: null,
    callbacks: null,
    open: true,
    due: attached ? now : deadline,
    version: 1,
    outcome: null,
    scored: true,
    unscoredReason: null,
    disputeEffect: null,
    unfolded: false,
    counted: null,
    admission: null,
  };
}
