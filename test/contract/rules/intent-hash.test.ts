import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalIntent, type IntentTerms, intentHash } from '../../../contract/verification/intent-hash.js';
import { StrkeyError } from '../../../contract/verification/strkey.js';

const account = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const terms: IntentTerms = {
  corridor: 'usdc-ngn',
  anchorId: 'cowrie',
  account,
  sellAmount: '100.50',
  nonce: 'nonce-of-22-characters',
};

describe('intentHash', () => {
  it('is the SHA-256 of exactly this canonical text', () => {
    const text =
      `{"account":"${account}","anchorId":"cowrie","corridor":"usdc-ngn","nonce":"nonce-of-22-characters",` +
      '"sellAmount":"100.5","type":"fairlead.intent.v1"}';
    expect(canonicalIntent(terms)).toBe(text);
    expect(intentHash(terms)).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('covers the optional terms only when they are given', () => {
    const text = canonicalIntent({
      ...terms,
      minReceive: '150000.00',
      deliveryMethod: 'bank_account',
      expiresAt: '2026-11-21T09:30:00.000Z',
    });
    expect(JSON.parse(text)).toEqual({
      ...terms,
      type: 'fairlead.intent.v1',
      sellAmount: '100.5',
      minReceive: '150000',
      deliveryMethod: 'bank_account',
      expiresAt: '2026-11-21T09:30:00.000Z',
    });
    expect(canonicalIntent({ ...terms, minReceive: undefined })).toBe(canonicalIntent(terms));
  });

  it('ignores members that are not terms, such as anchorTransactionId', () => {
    const sent = { ...terms, anchorTransactionId: 'tx-1' };
    expect(intentHash(sent)).toBe(intentHash(terms));
  });

  it('is the same for every spelling of the account and of an amount', () => {
    const hex = '3f0c34bf93ad0d9971d04ccc90f705511c838aad9734a4a2fb0d7a03fc7fe89a';
    const same = [hex, hex.toUpperCase()].map((spelling) => intentHash({ ...terms, account: spelling }));
    for (const sellAmount of ['100.5', '100.500', '100.5000000'])
      same.push(intentHash({ ...terms, sellAmount }));
    expect(new Set([...same, intentHash(terms)]).size).toBe(1);
    expect(canonicalIntent({ ...terms, sellAmount: '0.0' })).toContain('"sellAmount":"0"');
    expect(canonicalIntent({ ...terms, sellAmount: '100' })).toContain('"sellAmount":"100"');
  });

  it('is the same for every spelling of the deadline, and refuses one that is no instant', () => {
    const spelled = ['2026-11-21T09:30:00.000Z', '2026-11-21T09:30:00Z', '2026-11-21T08:30:00.0004-01:00'];
    expect(new Set(spelled.map((expiresAt) => intentHash({ ...terms, expiresAt }))).size).toBe(1);
    expect(() => intentHash({ ...terms, expiresAt: '2026-11-31T09:30:00Z' })).toThrow(RangeError);
  });

  it('changes with every term', () => {
    const others: IntentTerms[] = [
      { ...terms, corridor: 'usdc-kes' },
      { ...terms, anchorId: 'ngnc' },
      { ...terms, account: 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L' },
      { ...terms, sellAmount: '100.51' },
      { ...terms, nonce: 'nonce-of-22-characterz' },
      { ...terms, minReceive: '1' },
      { ...terms, deliveryMethod: 'cash' },
      { ...terms, expiresAt: '2026-11-21T09:30:00.000Z' },
    ];
    expect(new Set([terms, ...others].map(intentHash)).size).toBe(others.length + 1);
  });

  it('does not depend on the case of the corridor and the anchor, which are compared without regard to it', () => {
    expect(intentHash({ ...terms, corridor: 'USDC-NGN', anchorId: 'Cowrie' })).toBe(intentHash(terms));
  });

  it('does not depend on the order in which the members were written', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.entries(terms), { minLength: 5 }), (entries) => {
        expect(intentHash(Object.fromEntries(entries) as unknown as IntentTerms)).toBe(intentHash(terms));
      }),
      { numRuns: 50 },
    );
  });

  it.each(['-1', '+1', '1e3', '01', '.5', '5.', '', ' 1', '1,5', 'NaN', '1'.repeat(65)])(
    'refuses the amount %j',
    (amount) => {
      expect(() => intentHash({ ...terms, sellAmount: amount })).toThrow(RangeError);
      expect(() => intentHash({ ...terms, minReceive: amount })).toThrow(RangeError);
    },
  );

  it('refuses an account that is no Ed25519 account', () => {
    const muxed = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ';
    expect(() => intentHash({ ...terms, account: muxed })).toThrow(StrkeyError);
  });
});
