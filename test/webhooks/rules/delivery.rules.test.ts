import { describe, expect, it } from '@jest/globals';
import { type AttemptOutcome, attemptOutcomes } from '../../../contract/schemas/webhooks.js';
import { backoffMs } from '../../../server/timing.js';
import {
  afterAttempt,
  attemptsGranted,
  outcomeOfStatus,
  shownState,
} from '../../../server/webhooks/delivery.rules.js';
import { workerLimits } from '../../../server/webhooks/worker.js';
import { expectFor } from '../../support/expect-for.js';

describe('outcomeOfStatus', () => {
  it('takes 2xx as acknowledged, 4xx as refused and everything else as failed', () => {
    for (let status = 100; status < 600; status += 1) {
      const expected =
        status >= 200 && status < 300 ? 'acknowledged' : status >= 400 && status < 500 ? 'refused' : 'failed';
      expectFor(String(status), outcomeOfStatus(status)).toBe(expected);
    }
  });
});

describe('afterAttempt', () => {
  const failures = Object.keys(attemptOutcomes).filter(
    (outcome) => outcome !== 'acknowledged' && outcome !== 'refused',
  ) as AttemptOutcome[];

  it.each(failures)('retries %s three times, then marks the delivery exhausted', (outcome) => {
    const states = [1, 2, 3, 4].map((attempt) => afterAttempt(outcome, attempt, attemptsGranted));
    expect(states).toEqual([
      { state: 'pending', failures: 1 },
      { state: 'pending', failures: 2 },
      { state: 'pending', failures: 3 },
      { state: 'exhausted' },
    ]);
  });

  it('counts the failures of a delivery sent again from the start of that grant', () => {
    expect(afterAttempt('timeout', 5, 8)).toEqual({ state: 'pending', failures: 1 });
    expect(afterAttempt('timeout', 8, 8)).toEqual({ state: 'exhausted' });
  });

  it('ends the delivery at an acknowledgement or a refusal, at whichever attempt', () => {
    for (const attempt of [1, 2, 3, 4]) {
      expect(afterAttempt('acknowledged', attempt, 4)).toEqual({ state: 'delivered' });
      expect(afterAttempt('refused', attempt, 4)).toEqual({ state: 'refused' });
    }
  });
});

describe('the documented limits', () => {
  it('are 5 seconds for an acknowledgement, 4 attempts, and 10, 60, 360 seconds between them, 20 % either way', () => {
    expect(workerLimits.timeoutMs).toBe(5_000);
    expect(attemptsGranted).toBe(4);
    const delays = (random: number) =>
      [1, 2, 3].map((retry) => backoffMs(retry, workerLimits.retry, () => random));
    expect(delays(0.5)).toEqual([10_000, 60_000, 360_000]);
    expect(delays(0)).toEqual([8_000, 48_000, 288_000]);
    expect(delays(1)).toEqual([12_000, 72_000, 432_000]);
  });

  it('leave the two POSTs that a rotation may need enough time to end before their claim does', () => {
    const { claimMs, timeoutMs } = workerLimits;
    expect(2 * timeoutMs).toBeLessThan(claimMs);
  });
});

describe('shownState', () => {
  it('is held exactly where an event waits for a webhook that is disabled', () => {
    const [normal, admin] = [{ byAdmin: false }, { byAdmin: true }];
    expect(shownState({ state: 'pending', ...normal }, false)).toBe('held');
    expect(shownState({ state: 'pending', ...normal }, true)).toBe('pending');
    expect(shownState({ state: 'pending', ...admin }, false)).toBe('pending');
    for (const state of ['delivered', 'refused', 'exhausted'] as const)
      expect(shownState({ state, ...normal }, false)).toBe(state);
  });
});
