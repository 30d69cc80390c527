import { describe, expect, it } from '@jest/globals';
import { chosenEntry } from '../../../web/src/pages/proof/chosen.js';
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

const entries = [
  { anchorId: 'ferry', corridor: 'usdc-ghs', score: null },
  { anchorId: 'harbour', corridor: 'usdc-kes', score: null },
  { anchorId: 'harbour', corridor: 'usdc-ngn', score: '92.34' },
  { anchorId: 'squall', corridor: 'usdc-ngn', score: '65.60' },
];

describe('the score that is checked', () => {
  it.each([
    ['the first with a score, where the address names nothing', '', '', 'harbour', 'usdc-ngn'],
    ['the first with a score of the anchor', 'squall', '', 'squall', 'usdc-ngn'],
    ['the first of the corridor', '', 'usdc-ngn', 'harbour', 'usdc-ngn'],
    ['the named one, in upper or lower case', 'Harbour', 'USDC-KES', 'harbour', 'usdc-kes'],
    ['the named one, even if the batch has none', 'gone', 'usdc-zar', 'gone', 'usdc-zar'],
  ])('is %s', (_, anchorId, corridor, chosen, inCorridor) => {
    const entry = chosenEntry(entries, { anchorId, corridor });
    expect(entry).toMatchObject({ anchorId: chosen, corridor: inCorridor });
    expect(entry?.anchors).toContain(chosen);
    expect(entry?.corridors).toContain(inCorridor);
  });

  it('is none in a batch without entries', () => {
    expect(chosenEntry([], { anchorId: '', corridor: '' })).toBeUndefined();
  });
});
