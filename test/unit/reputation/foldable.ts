import type { FoldableIntent, IntentOutcome } from '../../../server/features/reputation/foldable-intent.js';

import { changeHistogram, emptyHistogram } from '../../../server/features/reputation/histogram.rules.js';

const defaults: FoldableIntent = {
  _id: 'a'.repeat(64),
  anchorId: 'harbour',
  corridor: 'usdc-ngn',
  account: 'GACCOUNT',
  sellAmount: '100',
  outcome: null,
  scored: true,
  unscoredReason: null,
  disputeEffect: null,
  unfolded: true,
  counted: null,
  admission: null,
};

export const noon = new Date('2026-11-21T12:00:00.000Z');

export function settled(changes: Partial<IntentOutcome> = {}): IntentOutcome {
  return {
    kind: 'settled',
    reason: 'completed',
    recordedAt: noon,
    settleSeconds: 90,
    shortfallPpb: 0,
    ...changes,
  };
}

export function failed(changes: Partial<IntentOutcome> = {}): IntentOutcome {
  return {
    kind: 'failed',
    reason: 'refunded',
    recordedAt: noon,
    settleSeconds: null,
    shortfallPpb: null,
    ...changes,
  };
}

export function expired(changes: Partial<IntentOutcome> = {}): IntentOutcome {
  return { ...failed(changes), kind: 'expired', reason: 'never_funded' };
}

/** An intent as the folder reads it. */
export function foldable(changes: Partial<FoldableIntent>): FoldableIntent {
  return { ...defaults, ...changes };
}

/** A histogram as roll-ups store it, from bucket → count. */
export function packed(counts: Record<number, number>): Uint8Array {
  const changes = Object.entries(counts).map(([bucket, count]) => [Number(bucket), count] as const);
  return changeHistogram(emptyHistogram, new Map(changes));
}
