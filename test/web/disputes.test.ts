import { describe, expect, it } from '@jest/globals';
import { type Draft, isOfAnother, isOvertaken, lackOf, verdictOf } from '../../web/src/pages/desk/verdict.js';
import { readSignature } from '../../web/src/pages/dispute/signature.js';
import { signWithWallet } from '../../web/src/pages/dispute/wallets.js';

// "Hello, World!" signed by the account of SEP-53's vectors.
const address = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const base64 = 'fO5dbYhXUhBMhe6kId/cuVq/AfEnHRHEvsP8vXh03M1uLpi5e46yO2Q8rEBzu3feXQewcQE5GArp88u6ePK6BA==';
const hex = Buffer.from(base64, 'base64').toString('hex');

describe('a signature as wallets give it', () => {
  it.each([
    ['base64, as Freighter answers', base64, base64],
    ['hex, as SEP-43 says', hex, base64],
    ['hex in upper case', hex.toUpperCase(), base64],
    ['base64 that was pasted with a line feed', `${base64}\n`, base64],
    ['bytes, as older versions of Freighter answer', Buffer.from(base64, 'base64'), base64],
    ['nothing', '', undefined],
    ['a signature that lacks a byte', hex.slice(2), undefined],
    ['base64 of 64 bytes without padding', base64.slice(0, -2), undefined],
    ['too few bytes', new Uint8Array(63), undefined],
    ['null, as wallets answer beside an error', null, undefined],
  ])('is read from %s, or is none', (_, given, read) => {
    expect(readSignature(given)).toBe(read);
  });
});

describe('signing with a wallet', () => {
  const sign = (signMessage: (message: string, options: { address: string }) => Promise<object>) =>
    signWithWallet({ name: 'Wallet', api: { signMessage } }, 'the hash', address);

  it('hands the wallet the hash and the address that has to sign', async () => {
    const asked: unknown[] = [];
    const signed = await sign(async (message, options) => {
      asked.push(message, options);
      return { signedMessage: hex, signerAddress: address };
    });
    expect(asked).toEqual(['the hash', { address }]);
    expect(signed).toEqual({ kind: 'signed', signature: base64 });
  });

  it('tells a person who declined from a wallet that failed', async () => {
    const declined = await sign(async () => ({ signedMessage: null, error: { code: -4, message: 'no' } }));
    expect(declined).toEqual({ kind: 'declined' });
    const failed = await sign(async () => ({ error: { code: -1, message: 'Locked.' } }));
    expect(failed).toEqual({ kind: 'failed', message: 'Locked.' });
  });

  it.each([
    ['nothing', () => Promise.resolve(undefined)],
    ['what is no signature', async () => ({ signedMessage: 'ok', signerAddress: address })],
    ['a text', () => Promise.resolve('signed')],
    ['no promise', () => null],
    ['a fault', () => Promise.reject(undefined)],
  ])('takes a wallet that answers with %s for one that failed', async (_what, signMessage) => {
    expect(await sign(signMessage as () => Promise<object>)).toMatchObject({ kind: 'failed' });
  });

  it('takes a wallet that throws at once for one that failed', async () => {
    const broken = () => {
      throw new Error('');
    };
    expect(await sign(broken)).toMatchObject({ kind: 'failed' });
  });

  it('takes no signature of another key', async () => {
    const other = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
    const signed = await sign(async () => ({ signedMessage: base64, signerAddress: other }));
    expect(signed).toEqual({ kind: 'otherKey', address: other });
  });
});

const id = `dsp_${'0'.repeat(36)}`;
const draft: Draft = { action: 'accept', note: '', evidence: '', actor: '' };
const entry = {
  at: '2026-11-21T10:00:00.000Z',
  action: 'accepted' as const,
  actor: 'admin',
  note: null,
  evidence: null,
};
const filed = { ...entry, action: 'filed' as const, actor: 'GBXF' };

describe('a verdict of the desk', () => {
  it.each([
    ['action', 'supported', { action: undefined }],
    ['evidence', 'unsupported', {}],
    ['evidence', 'unsupported', { evidence: ' \n' }],
    [undefined, 'unsupported', { evidence: '17a670bc' }],
    [undefined, 'unsupported', { action: 'reject' as const }],
    [undefined, 'supported', {}],
  ] as const)('lacks %s where the dispute is %s and the draft has %j', (lack, support, parts) => {
    expect(lackOf({ ...draft, ...parts }, support)).toBe(lack);
  });

  it('leaves out what was left empty', () => {
    expect(verdictOf(id, { ...draft, action: 'accept', note: '  ' })).toEqual({ id, action: 'accept' });
    expect(verdictOf(id, { action: 'reject', note: ' Seen. ', evidence: 'x', actor: 'ada' })).toEqual({
      id,
      action: 'reject',
      note: 'Seen.',
      evidence: 'x',
      actor: 'ada',
    });
  });

  it('was overtaken only where the dispute is decided, and not where its intent has no outcome', () => {
    expect(isOvertaken({ status: 409, body: { code: 'DISPUTE_RESOLVED' } })).toBe(true);
    expect(isOvertaken({ status: 409, body: { code: 'INTENT_UNRESOLVED' } })).toBe(false);
    expect(isOvertaken({ status: 404, body: { code: 'UNKNOWN_DISPUTE' } })).toBe(false);
  });

  it('is our own where the audit trail says what was sent', () => {
    expect(isOfAnother({ id, action: 'accept' }, { audit: [filed, entry] })).toBe(false);
  });

  it.each([
    ['a name', { ...entry, actor: 'bob' }],
    ['a reason', { ...entry, note: 'Seen.' }],
    ['evidence', { ...entry, evidence: '17a670bc' }],
  ])('is of another admin where the audit trail has %s that was not sent', (_, standing) => {
    expect(isOfAnother({ id, action: 'accept' }, { audit: [filed, standing] })).toBe(true);
  });
});
