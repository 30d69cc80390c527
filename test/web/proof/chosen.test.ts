import { describe, expect, it } from '@jest/globals';
import {
  checkAddress,
  chosenBatch,
  chosenEntry,
  unlistedSequence,
} from '../../../web/src/pages/proof/chosen.js';
import { trustedKeys } from '../../../web/src/pages/proof/trust.js';

const batch = (sequence: number) => ({
  header: { sequence, createdAt: `2026-11-22T17:0${sequence}:00.000Z` },
});
const offered = [batch(4), batch(3), batch(2), batch(1)];

describe('the batch that is offered for a check', () => {
  it('is the newest, unless the address names another', () => {
    expect(chosenBatch(offered, '').sequence).toBe(4);
    expect(chosenBatch(offered, '2').sequence).toBe(2);
    expect(chosenBatch(offered, 'x').sequence).toBe(4);
    expect(chosenBatch([], '').sequence).toBeUndefined();
  });

  it('is the one that the address names also where it is not among the newest', () => {
    const chosen = chosenBatch([batch(4)], '1');
    expect(chosen).toMatchObject({ sequence: 1, batches: [{ sequence: 4 }, { sequence: 1 }] });
  });

  it('is asked for by itself only where it is older than the newest', () => {
    const newest = [batch(4), batch(3)];
    expect(unlistedSequence(newest, '4')).toBeUndefined();
    expect(unlistedSequence(newest, '')).toBeUndefined();
    expect(unlistedSequence(newest, '2')).toBe(2);
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
    expect(chosenBatch([batch(6), batch(5), ...offered], named).sequence).toBe(2);
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
