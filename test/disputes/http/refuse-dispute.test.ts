import { describe, expect, it } from '@jest/globals';
import { encodePublicKey } from '../../../contract/verification/strkey.js';
import {
  ada,
  anchorSigner,
  bob,
  disputeOf,
  eve,
  falseSignature,
  forms,
  harbour,
  signatureIn,
  storedIntent,
} from '../../fixtures/disputes/dispute-values.js';
import { day, disputePath, disputesFixture } from '../../fixtures/disputes/disputes-over-http.js';
import zip215 from '../../vectors/zip215-small-order.json' with { type: 'json' };

const fixture = await disputesFixture();
describe('400', () => {
  const good = disputeOf(storedIntent(ada.account, 'settled'), ada);
  it.each([
    ['a muxed key', { publicKey: `M${'A'.repeat(68)}` }, 'body.publicKey', /muxed account \(M…\)/],
    ['a contract', { publicKey: `C${'A'.repeat(55)}` }, 'body.publicKey', /contract \(C…\)/],
    ['a secret', { publicKey: `S${'A'.repeat(55)}` }, 'body.publicKey', /never send it/],
    ['a mistyped key', { publicKey: `${ada.account.slice(0, -1)}Z` }, 'body.publicKey', /checksum/],
    ['a key in lower case', { publicKey: ada.account.toLowerCase() }, 'body.publicKey', /G… account/],
    ['a short key', { publicKey: 'ab'.repeat(31) }, 'body.publicKey', /64 hex digits/],
    [
      'a signature of 63 bytes',
      { signature: Buffer.alloc(63).toString('base64') },
      'body.signature',
      /64 bytes/,
    ],
    ['a signature in hex', { signature: 'ab'.repeat(64) }, 'body.signature', /base64/],
    ['a signature in base64url', { signature: `${'_'.repeat(85)}A==` }, 'body.signature', /base64/],
    ['a signature without padding', { signature: 'A'.repeat(86) }, 'body.signature', /base64/],
    ['spare bits in the signature', { signature: `${'A'.repeat(85)}B==` }, 'body.signature', /base64/],
    ['an intent hash in upper case', { intentHash: 'AB'.repeat(32) }, 'body.intentHash', /lower-case/],
    ['an anchor that is no slug', { anchorId: 'har_bour' }, 'body.anchorId', /slug/],
    ['no reason', { reason: '' }, 'body.reason', /say something/],
    ['a blank reason', { reason: ' \n\t' }, 'body.reason', /say something/],
    ['a reason over 2,000 characters', { reason: 'a'.repeat(2_001) }, 'body.reason', /2000/],
    ['a reason that is no text', { reason: ['x'] }, 'body.reason', /string/],
    ['a member that is not known', { nonce: 'x' }, 'body.nonce', /not known/],
  ] as const)('for %s, and names it', async (_what, patch, path, message) => {
    const { status, body } = await fixture.file({ ...good, ...patch });
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(body.details?.map((detail) => detail.path)).toEqual([path]);
    expect(body.details?.[0]?.message).toMatch(message);
  });

  it.each(Object.keys(good))('without %s', async (name) => {
    const { status, body } = await fixture.file({ ...good, [name]: undefined });
    expect([status, body.details?.[0]?.path]).toEqual([400, `body.${name}`]);
  });

  it('for a body that is not JSON, and for no body', async () => {
    expect((await fixture.app.client.request('POST', disputePath)).status).toBe(400);
    const headers = { 'content-type': 'application/json' };
    const { status } = await fixture.app.client.request('POST', disputePath, { headers, body: '{' });
    expect(status).toBe(400);
  });

  it('does not occur for a reason of 2,000 characters, however many bytes they take', async () => {
    const intent = await fixture.add(eve, 'settled');
    const reason = '\u20a6'.repeat(2_000);
    expect((await fixture.file({ ...disputeOf(intent, eve), reason })).status).toBe(201);
    const { items } = (await fixture.list({ limit: '1' })).body;
    expect(items[0]?.reason).toBe(reason);
  });
});

describe('403 SIGNER_NOT_ENTITLED', () => {
  it.each([
    ['a stranger', 'settled', eve],
    ['a stranger, while it is pending', null, eve],
    ['the anchor, against what favours it', 'settled', harbour],
    ['the anchor, against what counts against nobody', 'expired', harbour],
    ['the account, against what counts against the anchor already', 'failed', ada],
    ['the account, where the anchor sent the funds back', 'refunded', ada],
    ['another anchor', 'failed', anchorSigner('squall')],
  ] as const)('for %s', async (_who, ending, party) => {
    const intent = await fixture.add(ada, ending);
    const { status, body } = await fixture.file(disputeOf(intent, party));
    expect([status, body.code]).toEqual([403, 'SIGNER_NOT_ENTITLED']);
    expect((await fixture.read(intent._id)).dispute).toBe(null);
  });

  it('for the account of an intent that expired without a transaction', async () => {
    const { transactionId, ...intent } = storedIntent(ada.account, 'expired', { now: fixture.now() });
    expect(transactionId).toBeDefined();
    await fixture.app.connection.collection<typeof intent>('intents').insertOne(intent);
    expect((await fixture.file(disputeOf(intent, ada))).body.code).toBe('SIGNER_NOT_ENTITLED');
  });
});

describe('403 INVALID_SIGNATURE', () => {
  const refused = [403, 'INVALID_SIGNATURE'];

  it.each(forms)('for a signature in the form %s of another intent, or by another key', async (form) => {
    const [intent, other] = [await fixture.add(bob, 'settled'), await fixture.add(bob, 'settled')];
    const body = disputeOf(intent, bob);
    for (const signature of [
      signatureIn(form, other._id, bob),
      signatureIn(form, intent._id, eve),
      signatureIn(form, intent._id, ada),
    ]) {
      const { status, body: answer } = await fixture.file({ ...body, signature });
      expect([status, answer.code]).toEqual(refused);
    }
    expect((await fixture.read(intent._id)).dispute).toBe(null);
  });

  it('for a signature with one changed bit, and for random bytes', async () => {
    const intent = await fixture.add(bob, 'settled');
    const body = disputeOf(intent, bob);
    const bytes = Buffer.from(body.signature, 'base64');
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    for (const signature of [bytes.toString('base64'), falseSignature]) {
      const { status, body: answer } = await fixture.file({ ...body, signature });
      expect([status, answer.code]).toEqual(refused);
    }
  });

  it('for a small-order forgery, even if such an account had an intent', async () => {
    for (const { publicKey, signature } of zip215.cases.filter((_, index) => index % 28 === 0)) {
      const key = Buffer.from(publicKey, 'hex');
      const account = encodePublicKey(key);
      const intent = await fixture.add({ account, secretKey: key }, 'settled');
      const { status, body } = await fixture.file({
        ...disputeOf(intent, ada),
        publicKey,
        signature: Buffer.from(signature, 'hex').toString('base64'),
      });
      expect([status, body.code]).toEqual(refused);
    }
  });
});

describe('404 UNKNOWN_INTENT', () => {
  it('for an intent hash that nobody registered', async () => {
    const intent = storedIntent(ada.account, 'settled');
    const { status, body } = await fixture.file(disputeOf(intent, ada));
    expect([status, body.code]).toEqual([404, 'UNKNOWN_INTENT']);
  });
});

describe('409', () => {
  it('INTENT_UNRESOLVED while there is no outcome, for both parties', async () => {
    const intent = await fixture.add(ada, null);
    for (const party of [ada, harbour]) {
      const { status, body } = await fixture.file(disputeOf(intent, party));
      expect([status, body.code]).toEqual([409, 'INTENT_UNRESOLVED']);
    }
  });

  it('DISPUTE_WINDOW_CLOSED after 30 days', async () => {
    const intent = await fixture.add(ada, 'settled');
    fixture.pass(30 * day + 1_000);
    const { status, body } = await fixture.file(disputeOf(intent, ada));
    expect([status, body.code]).toEqual([409, 'DISPUTE_WINDOW_CLOSED']);
  });

  it('DISPUTE_EXISTS while a dispute of the other party is open, as after a recovery', async () => {
    const intent = await fixture.add(bob, 'failed');
    const { body: filed } = await fixture.file(disputeOf(intent, harbour));
    await fixture.app.connection
      .collection<typeof intent>('intents')
      .updateOne(
        { _id: intent._id },
        { $set: { status: 'settled', 'outcome.kind': 'settled', recoveredAt: new Date(fixture.now()) } },
      );
    const { status, body } = await fixture.file(disputeOf(intent, bob));
    expect([status, body.code]).toEqual([409, 'DISPUTE_EXISTS']);
    await fixture.resolve({ id: filed.id, action: 'accept' });
    expect((await fixture.file(disputeOf(intent, bob))).status).toBe(201);
  });
});

describe('413 and 415', () => {
  it('for a body over 16 KB, and for one without a JSON content type', async () => {
    const intent = await fixture.add(bob, 'settled');
    const body = { ...disputeOf(intent, bob), reason: 'a'.repeat(17_000) };
    expect((await fixture.file(body)).status).toBe(413);
    const plain = { headers: { 'content-type': 'text/plain' }, body: JSON.stringify(disputeOf(intent, bob)) };
    expect((await fixture.app.client.request('POST', disputePath, plain)).status).toBe(415);
  });
});

describe('422 ANCHOR_MISMATCH', () => {
  it('for another anchor than that of the intent, even with a genuine signature', async () => {
    const intent = await fixture.add(bob, 'settled');
    const { status, body } = await fixture.file({ ...disputeOf(intent, bob), anchorId: 'squall' });
    expect([status, body.code]).toEqual([422, 'ANCHOR_MISMATCH']);
    expect(body.details?.[0]?.path).toBe('body.anchorId');
  });
});

describe('the order of refusals', () => {
  it('is: intent, signer, anchor, signature, outcome', async () => {
    const unknown = { ...disputeOf(storedIntent(ada.account, null), eve), anchorId: 'squall' };
    const intent = await fixture.add(ada, null);
    const body = { ...disputeOf(intent, eve), anchorId: 'squall', signature: falseSignature };
    const steps = [
      [{ ...unknown, signature: falseSignature }, 'UNKNOWN_INTENT'],
      [body, 'SIGNER_NOT_ENTITLED'],
      [{ ...body, publicKey: ada.account }, 'ANCHOR_MISMATCH'],
      [{ ...body, publicKey: ada.account, anchorId: 'harbour' }, 'INVALID_SIGNATURE'],
      [disputeOf(intent, ada), 'INTENT_UNRESOLVED'],
    ] as const;
    for (const [step, code] of steps) expect((await fixture.file(step)).body.code).toBe(code);
  });
});
