import type { Random } from '../ports.js';

export interface BackoffPolicy {
  baseMs: number;
  factor: number;
  maxMs: number;
  /** Share of the delay by which it varies both ways: 0.2 is ±20 %. */
  jitter: number;
}

/** The delay before attempt `attempt + 1`, `attempt` counted from 1. */
export function backoffMs(attempt: number, policy: BackoffPolicy, random: Random): number {
  const plain = Math.min(policy.maxMs, policy.baseMs * policy.factor ** (attempt - 1));
  return Math.round(plain * (1 + policy.jitter * (2 * random() - 1)));
}
