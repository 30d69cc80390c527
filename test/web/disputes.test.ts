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

  const other = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
  const answers = (answer: unknown) => () => Promise.resolve(answer);
  const throwing = () => {
    throw new Error('');
  };
  const declined = { signedMessage: null, error: { code: -4, message: 'no' } };

  it.each([
    ['that the person declined', answers(declined), { kind: 'declined' }],
    ['an error', answers({ error: { code: -1, message: 'Locked.' } }), { message: 'Locked.' }],
    ['nothing', answers(undefined), {}],
    ['what is no signature', answers({ signedMessage: 'ok', signerAddress: address }), {}],
    ['a text', answers('signed'), {}],
    ['no promise', () => null, {}],
    ['a fault', () => Promise.reject(undefined), {}],
    ['a fault at once', throwing, {}],
    [
      'the signature of another key',
      answers({ signedMessage: base64, signerAddress: other }),
      { kind: 'otherKey', address: other },
    ],
  ])('takes %s for what it is, and for a failure where it is nothing else', async (_, signMessage, taken) => {
    const signed = await sign(signMessage as () => Promise<object>);
    expect(signed).toMatchObject({ kind: 'failed', ...taken });
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
    const whole = { action: 'reject', note: 'Seen.', evidence: 'x', actor: 'ada' } as const;
    expect(verdictOf(id, { ...whole, note: ' Seen. ' })).toEqual({ id, ...whole });
  });

  it('was overtaken only where the dispute is decided, and not where its intent has no outcome', () => {
    expect(isOvertaken({ status: 409, body: { code: 'DISPUTE_RESOLVED' } })).toBe(true);
    expect(isOvertaken({ status: 409, body: { code: 'INTENT_UNRESOLVED' } })).toBe(false);
    expect(isOvertaken({ status: 404, body: { code: 'UNKNOWN_DISPUTE' } })).toBe(false);
  });

  it.each([
    ['is our own where the audit trail says what was sent', false, {}],
    ['is of another admin by the name', true, { actor: 'bob' }],
    ['is of another admin by the reason', true, { note: 'Seen.' }],
    ['is of another admin by the evidence', true, { evidence: '17a670bc' }],
  ])('%s', (_, isOther, parts) => {
    const audit = [filed, { ...entry, ...parts }];
    expect(isOfAnother({ id, action: 'accept' }, { audit })).toBe(isOther);
  });
});
