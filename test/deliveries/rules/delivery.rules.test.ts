import { describe, expect, it } from '@jest/globals';
import { queueKey, readQueueKey, shownState } from '../../../server/deliveries/delivery.rules.js';

describe('shownState', () => {
  it('is held exactly where an event waits for a webhook that is disabled', () => {
    const normal = queueKey('whk_1', 'normal');
    const admin = queueKey('whk_1', 'admin');
    expect(shownState({ state: 'pending', lane: normal }, false)).toBe('held');
    expect(shownState({ state: 'pending', lane: normal }, true)).toBe('pending');
    expect(shownState({ state: 'pending', lane: admin }, false)).toBe('pending');
    for (const state of ['delivered', 'refused', 'exhausted'] as const)
      expect(shownState({ state, lane: normal }, false)).toBe(state);
  });
});

describe('readQueueKey', () => {
  it.each(['normal', 'admin'] as const)('reads what queueKey wrote for the priority %s', (priority) => {
    expect(readQueueKey(queueKey('whk_1', priority))).toEqual({ webhookId: 'whk_1', priority });
  });
});
