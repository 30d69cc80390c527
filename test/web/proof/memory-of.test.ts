import { describe, expect, it } from '@jest/globals';
import { memoryOf } from '../../../web/src/pages/proof/memory.js';
import type { Step, Trust } from '../../../web/src/pages/proof/step.js';

const present = { keyId: 'present', publicKey: 'GP' };
const earlier = { keyId: 'earlier', publicKey: 'GE' };
const wanted = (sequence: number) => ({ sequence, anchor: 'harbour', corridor: 'usdc-ngn' });
const trust: Trust = { keys: [present], source: 'service', oracle: undefined, head: undefined };
const head = { sequence: 150, headerHash: 'hash of 150' };
/** Steps that held, with the hash of the batch that was checked. */
const held = (headerHash: string, memory: Pick<Step, 'status' | 'why'> = { status: 'held' }): Step[] => [
  { id: 'header', status: 'held', facts: [{ label: 'headerComputed', value: headerHash }] },
  { id: 'memory', facts: [], ...memory },
];

describe('what a browser remembers of a check that held', () => {
  it('is the batch with its keys, and the oracle that signed its receipt', () => {
    const receipt: Step = { id: 'receipt', status: 'held', facts: [{ label: 'oracle', value: 'GO' }] };
    expect(memoryOf([...held('hash of 2'), receipt], wanted(2), trust)).toMatchObject({
      keys: [present],
      isGiven: false,
      oracle: 'GO',
      head: { sequence: 2, headerHash: 'hash of 2' },
    });
  });

  it('is the newest batch of all checks', () => {
    const headAfter = (sequence: number) => memoryOf(held('new'), wanted(sequence), { ...trust, head }).head;
    expect(headAfter(151)).toEqual({ sequence: 151, headerHash: 'new' });
    expect(headAfter(149)).toEqual(head);
  });

  it('is an older batch where the newest is signed by another key than the one that the reader brought', () => {
    const brought: Trust = { ...trust, keys: [earlier], source: 'reader', head };
    const steps = held('hash of 90', { status: 'open', why: 'other_own_key' });
    expect(memoryOf(steps, wanted(90), brought)).toMatchObject({
      keys: [earlier],
      isGiven: true,
      head: { sequence: 90, headerHash: 'hash of 90' },
    });
  });
});
