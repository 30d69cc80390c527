import { randomBytes } from 'node:crypto';
import type { Intent } from '../../../server/features/intents/intent.js';
import { newIntent } from '../../../server/features/intents/registration/new-intent.rules.js';

const corridor = 'usdc-ngn';

/** An intent of that account that was settled just now, its outcome not yet counted. */
export function settledIntent(account: string): Intent {
  const nowMs = Date.now();
  const pending = newIntent({
    intentHash: randomBytes(32).toString('hex'),
    body: {
      corridor,
      anchorId: 'harbour',
      account,
      sellAmount: '100',
      nonce: '-',
      anchorTransactionId: randomBytes(16).toString('hex'),
    },
    corridor: { id: corridor, sellAsset: '', buyAsset: '', overdueAfterSeconds: 3_600 },
    quote: null,
    nowMs,
  });
  const settled = { kind: 'settled', reason: 'completed', settleSeconds: 90, shortfallPpb: 0 } as const;
  const told = { timesKnown: true, amountOut: null, evidence: 'anchor' } as const;
  return {
    ...pending,
    observations: { ...pending.observations, firstAtMs: nowMs },
    status: 'settled',
    open: false,
    outcome: { ...settled, ...told, recordedAt: new Date(nowMs) },
  };
}
