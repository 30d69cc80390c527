import { describe, expect, it } from '@jest/globals';
import { type AttemptOutcome, attemptOutcomes } from '../../../contract/schemas/webhooks.js';
import { retryPolicy } from '../../../server/features/webhooks/attempt.js';
import {
  attemptsGranted,
  outcomeOfStatus,
  shownState,
  verdictOn,
} from '../../../server/features/webhooks/delivery-state.rules.js';
import { webhookLimits } from '../../../server/features/webhooks/feature.js';
import { backoffMs } from '../../../server/jobs/backoff.js';
import { expectFor } from '../../support/expect-for.js';

describe('outcomeOfStatus', () => {
  it('takes every status for exactly one of three things', () => {
    for (let status = 100; status < 600; status += 1) {
      const expected =
        status >= 200 && status < 300 ? 'acknowledged' : status >= 400 && status < 500 ? 'refused' : 'failed';
      expectFor(String(status), outcomeOfStatus(status)).toBe(expected);
    }
  });
});

describe('verdictOn', () => {
  const failures = Object.keys(attemptOutcomes).filter(
    (outcome) => outcome !== 'acknowledged' && outcome !== 'refused',
  ) as AttemptOutcome[];

  it.each(failures)('%s is retried three times, then exhausted', (outcome) => {
    const verdicts = [1, 2, 3, 4].map((attempt) => verdictOn(outcome, attempt, attemptsGranted));
    expect(verdicts).toEqual([
      { state: 'pending', retry: 1 },
      { state: 'pending', retry: 2 },
      { state: 'pending', retry: 3 },
      { state: 'exhausted', retry: null },
    ]);
  });

  it('counts a grant by re-sending from its own beginning', () => {
    expect(verdictOn('timeout', 5, 8)).toEqual({ state: 'pending', retry: 1 });
    expect(verdictOn('timeout', 8, 8)).toEqual({ state: 'exhausted', retry: null });
  });

  it('ends at an acknowledgement or a refusal, whichever attempt it was', () => {
    for (const attempt of [1, 2, 3, 4]) {
      expect(verdictOn('acknowledged', attempt, 4)).toEqual({ state: 'delivered', retry: null });
      expect(verdictOn('refused', attempt, 4)).toEqual({ state: 'refused', retry: null });
    }
  });
});

describe('the documented limits', () => {
  it('are 5 seconds for an acknowledgement, 4 attempts, and 10, 60, 360 seconds between them, 20 % either way', () => {
    expect(webhookLimits.timeoutMs).toBe(5_000);
    expect(attemptsGranted).toBe(4);
    const delays = (random: number) => [1, 2, 3].map((retry) => backoffMs(retry, retryPolicy, () => random));
    expect(delays(0.5)).toEqual([10_000, 60_000, 360_000]);
    expect(delays(0)).toEqual([8_000, 48_000, 288_000]);
    expect(delays(1)).toEqual([12_000, 72_000, 432_000]);
  });

  it('leave a POST that begins late time to end before its claim does', () => {
    const { claimMs, startsWithinMs, timeoutMs } = webhookLimits;
    expect(startsWithinMs + timeoutMs).toBeLessThan(claimMs / 2);
  });
});

describe('shownState', () => {
  it('is held exactly while an event waits for a webhook that is disabled', () => {
    expect(shownState('pending', false, false)).toBe('held');
    expect(shownState('pending', false, true)).toBe('pending');
    expect(shownState('pending', true, false)).toBe('pending');
    for (const state of ['delivered', 'refused', 'exhausted'] as const)
      expect(shownState(state, false, false)).toBe(state);
  });
});
