import { describe, expect, it } from '@jest/globals';
import type { Step } from '../../../web/src/pages/proof/check/step.js';
import { memoryOf } from '../../../web/src/pages/proof/memory-of.js';
import type { Memory, TrustedKeys } from '../../../web/src/pages/proof/trust.js';

const present = { keyId: 'present', publicKey: 'GP' };
const earlier = { keyId: 'earlier', publicKey: 'GE' };
const wanted = (sequence: number) => ({ sequence, anchor: 'harbour', corridor: 'usdc-ngn' });
const trust: TrustedKeys = { keys: [present], source: 'service', oracle: undefined, hasUnusable: false };
const before: Memory = {
  at: '2026-11-22T17:00:00.000Z',
  keys: [present],
  isGiven: false,
  oracle: undefined,
  head: { sequence: 150, headerHash: 'hash of 150' },
};
/** Steps that held, with the hash of the batch that was checked. */
const held = (headerHash: string, memory: Pick<Step, 'status' | 'opening'> = { status: 'held' }): Step[] => [
  { id: 'header', status: 'held', facts: [{ label: 'headerComputed', value: headerHash }] },
  { id: 'memory', facts: [], ...memory },
];

describe('what a browser remembers of a check that held', () => {
  it('is the batch with its keys, and the oracle that signed its receipt', () => {
    const receipt: Step = { id: 'receipt', status: 'held', facts: [{ label: 'oracle', value: 'GO' }] };
    expect(memoryOf([...held('hash of 2'), receipt], wanted(2), trust, undefined)).toMatchObject({
      keys: [present],
      isGiven: false,
      oracle: 'GO',
      head: { sequence: 2, headerHash: 'hash of 2' },
    });
  });

  it('is the newest batch of all checks', () => {
    const headAfter = (sequence: number) => memoryOf(held('new'), wanted(sequence), trust, before).head;
    expect(headAfter(151)).toEqual({ sequence: 151, headerHash: 'new' });
    expect(headAfter(149)).toEqual(before.head);
  });

  it('is an older batch where the newest is signed by another key than the one that the reader brought', () => {
    const brought: TrustedKeys = { ...trust, keys: [earlier], source: 'reader' };
    const steps = held('hash of 90', { status: 'open', opening: 'other_own_key' });
    expect(memoryOf(steps, wanted(90), brought, before)).toMatchObject({
      keys: [earlier],
      isGiven: true,
      head: { sequence: 90, headerHash: 'hash of 90' },
    });
  });
});
