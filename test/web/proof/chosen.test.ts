import { describe, expect, it } from '@jest/globals';
import {
  checkAddress,
  chosenBatch,
  chosenEntry,
  unlistedSequence,
} from '../../../web/src/pages/proof/chosen.js';
import { trustedKeys } from '../../../web/src/pages/proof/trust.js';

const batch = (sequence: number, formula: string) => ({
  header: { sequence, formula, createdAt: `2026-11-22T17:0${sequence}:00.000Z` },
});
const offered = { batches: [batch(4, 'v2'), batch(3, 'v1'), batch(2, 'v2'), batch(1, 'v1')], leading: 'v1' };
const nothing = { formula: '', batch: '' };

describe('the batch that is offered for a check', () => {
  it('is the newest of the formula that leads, unless the address names a formula or a batch', () => {
    expect(chosenBatch(offered, nothing)).toMatchObject({ formula: 'v1', sequence: 3 });
    expect(chosenBatch(offered, { ...nothing, formula: 'v2' })).toMatchObject({ formula: 'v2', sequence: 4 });
    expect(chosenBatch(offered, { formula: 'v1', batch: '2' })).toMatchObject({ formula: 'v2', sequence: 2 });
  });

  it('is the one that the address names also where it is not among the newest', () => {
    const chosen = chosenBatch({ ...offered, batches: [batch(4, 'v2')] }, { ...nothing, batch: '1' });
    expect(chosen).toMatchObject({ sequence: 1, batches: [{ sequence: 4 }, { sequence: 1 }] });
  });

  it('has its own formula also where it is older than the newest, once the batch itself is there', () => {
    const newest = [batch(4, 'v1'), batch(3, 'v1')];
    expect(unlistedSequence(newest, '4')).toBeUndefined();
    expect(unlistedSequence(newest, '')).toBeUndefined();
    expect(unlistedSequence(newest, '2')).toBe(2);
    const chosen = chosenBatch(
      { ...offered, batches: [...newest, batch(2, 'v2')] },
      { ...nothing, batch: '2' },
    );
    expect(chosen).toMatchObject({ formula: 'v2', formulas: ['v1', 'v2'], sequence: 2 });
  });

  it('is the newest there is where no batch follows the formula, and none where there is none', () => {
    expect(chosenBatch({ ...offered, batches: [batch(4, 'v2')] }, nothing).sequence).toBe(4);
    expect(chosenBatch({ batches: [], leading: 'v1' }, nothing).sequence).toBeUndefined();
    expect(chosenBatch(offered, { ...nothing, batch: 'x' }).sequence).toBe(3);
  });
});

describe('the address of a check', () => {
  const wanted = { sequence: 2, anchor: 'harbour', corridor: 'usdc-ngn' };
  const address = checkAddress(wanted, '?corridor=usdc-kes&lang=fr');

  it('names the batch, the anchor and the corridor beside the rest of the view', () => {
    expect(address).toBe('/proof/harbour?corridor=usdc-ngn&lang=fr&batch=2&check=now');
    expect(checkAddress(wanted, address.slice(address.indexOf('?')))).toBe(address);
  });

  it('still names the same batch when newer ones have come', () => {
    const named = new URL(address, 'https://fairlead.example').searchParams.get('batch') ?? '';
    const later = { ...offered, batches: [batch(6, 'v1'), batch(5, 'v2'), ...offered.batches] };
    expect(chosenBatch(later, { formula: '', batch: named }).sequence).toBe(2);
  });
});

describe('the score that is offered for a check', () => {
  const entries = [
    { anchorId: 'ferry', corridor: 'usdc-ghs', score: null },
    { anchorId: 'ferry', corridor: 'usdc-mxn', score: '89.86' },
    { anchorId: 'harbour', corridor: 'usdc-ngn', score: '91.14' },
  ];

  it('is the first that there is, unless the address names an anchor or a corridor', () => {
    const chosen = (anchorId: string, corridor: string) => chosenEntry(entries, { anchorId, corridor });
    expect(chosen('', '')).toMatchObject({ anchorId: 'ferry', corridor: 'usdc-mxn' });
    expect(chosen('harbour', '')).toMatchObject({ anchorId: 'harbour', corridor: 'usdc-ngn' });
    expect(chosen('', 'usdc-ngn')).toMatchObject({ anchorId: 'harbour', corridor: 'usdc-ngn' });
    expect(chosen('ferry', 'usdc-ghs')).toMatchObject({
      anchors: ['ferry', 'harbour'],
      corridors: ['usdc-ghs', 'usdc-mxn'],
    });
  });

  it('is the one that the address names in upper or lower case, as the service takes it', () => {
    const lower = chosenEntry(entries, { anchorId: 'harbour', corridor: 'usdc-ngn' });
    expect(lower).toMatchObject({ anchorId: 'harbour', corridor: 'usdc-ngn' });
    expect(chosenEntry(entries, { anchorId: 'Harbour', corridor: 'USDC-NGN' })).toEqual(lower);
    expect(chosenEntry(entries, { anchorId: '', corridor: 'Usdc-Ngn' })).toEqual(lower);
  });

  it('is the one that the address names also where it was not published, so that the service says so', () => {
    expect(chosenEntry(entries, { anchorId: 'harbour', corridor: 'usdc-kes' })).toEqual({
      anchorId: 'harbour',
      corridor: 'usdc-kes',
      anchors: ['ferry', 'harbour'],
      corridors: ['usdc-ngn', 'usdc-kes'],
    });
    expect(chosenEntry(entries, { anchorId: 'nobody', corridor: '' })).toMatchObject({
      anchorId: 'nobody',
      corridor: 'usdc-mxn',
    });
    expect(chosenEntry([], { anchorId: '', corridor: '' })).toBeUndefined();
  });
});

describe('the keys that a check believes', () => {
  const [given, met, listed] = ['g', 'm', 'l'].map((id) => ({ keyId: id, publicKey: id }));
  const brought = { keyId: 'o', publicKey: 'brought' };
  const none = { publisher: undefined, oracle: undefined };
  const memory = { keys: [met as never], isGiven: false, oracle: 'remembered' };

  it('are those of the reader, else those of an earlier visit, else those that the service names', () => {
    const all = trustedKeys({ publisher: given, oracle: brought }, memory, [listed as never]);
    expect(all).toEqual({ keys: [given], source: 'reader', oracle: 'brought', hasUnusable: false });
    expect(trustedKeys(none, memory, [listed as never])).toEqual({
      keys: [met],
      source: 'before',
      oracle: 'remembered',
      hasUnusable: false,
    });
    expect(trustedKeys(none, { ...memory, isGiven: true }, []).source).toBe('readerBefore');
    expect(trustedKeys(none, undefined, [listed as never])).toEqual({
      keys: [listed],
      source: 'service',
      oracle: undefined,
      hasUnusable: false,
    });
  });

  it('are told to lack one that the reader entered where it is none that may sign', () => {
    const mistyped = trustedKeys({ ...none, publisher: null }, undefined, [listed as never]);
    expect(mistyped).toMatchObject({ keys: [listed], source: 'service', hasUnusable: true });
    expect(trustedKeys({ publisher: given, oracle: null }, undefined, [])).toMatchObject({
      source: 'reader',
      hasUnusable: true,
    });
  });
});
