import { describe, expect, it } from '@jest/globals';
import { readHorizonPayments, readHorizonTransaction } from '../../../server/ledger/horizon-answer.rules.js';
import { covers, operationIdOf, positionOf } from '../../../server/ledger/ledger-transaction.rules.js';
import { readRpcTransaction } from '../../../server/ledger/rpc-answer.rules.js';
import vectors from '../../vectors/ledger-answers.json' with { type: 'json' };

const range = {
  latestLedger: 10,
  latestLedgerCloseTime: '100',
  oldestLedger: 1,
  oldestLedgerCloseTime: '50',
};
const { payment, oldEnvelope } = vectors;
function resultOf({ transaction: _, hash: __, order, ...members }: typeof payment | typeof oldEnvelope) {
  return { status: 'SUCCESS', ...range, ...members, applicationOrder: order };
}
const found = resultOf(payment);
const readRpc = (result: object) => readRpcTransaction({ jsonrpc: '2.0', id: 1, result }, payment.hash);

describe('an answer of RPC', () => {
  it('of a real transaction is read', () => {
    expect(readRpc(found)).toEqual({ kind: 'found', transaction: payment.transaction });
    const old = readRpcTransaction({ result: resultOf(oldEnvelope) }, oldEnvelope.hash);
    expect(old).toEqual({ kind: 'found', transaction: oldEnvelope.transaction });
  });

  it.each([
    ['an error', { error: { code: -32_602, message: 'unexpected hash length' } }],
    ['nothing', null],
    ['a text', 'SUCCESS'],
    ['no result', {}],
    ['a status that does not exist', { result: { ...found, status: 'PENDING' } }],
    ['a success whose result failed', { result: { ...found, resultXdr: vectors.failedResultXdr } }],
    ['a failure whose result succeeded', { result: { ...found, status: 'FAILED' } }],
    ['another transaction', { result: { ...found, txHash: 'ab'.repeat(32) } }],
    ['no envelope', { result: { ...found, envelopeXdr: undefined } }],
    ['an envelope that is cut off', { result: { ...found, envelopeXdr: payment.envelopeXdr.slice(0, 80) } }],
    ['an envelope that is no base64', { result: { ...found, envelopeXdr: '<html>' } }],
    ['an envelope of a megabyte', { result: { ...found, envelopeXdr: 'A'.repeat(1_048_576) } }],
    ['no order in the ledger', { result: { ...found, applicationOrder: 0 } }],
    ['not found, without a range', { result: { status: 'NOT_FOUND' } }],
  ])('that is %s cannot be read', (_, answer) => {
    expect(readRpcTransaction(answer, payment.hash).kind).toBe('unreadable');
  });

  it('takes times and sequence numbers as numbers and as texts', () => {
    const asTexts = { ...found, ledger: String(payment.ledger), createdAt: String(payment.createdAt) };
    expect(readRpc(asTexts)).toEqual(readRpc(found));
    expect(readRpc({ status: 'NOT_FOUND', ...range })).toEqual({
      kind: 'not_found',
      range: { latestLedger: 10, latestAtMs: 100_000, oldestLedger: 1, oldestAtMs: 50_000 },
    });
  });
});

describe('an answer of Horizon', () => {
  it.each(vectors.horizon)('is read: $name', ({ transaction, operations, expected }) => {
    const read = readHorizonTransaction(transaction, expected.hash);
    expect({ ...read, payments: readHorizonPayments(operations) }).toEqual(expected);
  });

  it.each([
    ['another transaction', { hash: 'ab'.repeat(32) }],
    ['a memo of an unknown type', { memo_type: 'emoji' }],
    ['a hash that is too short', { memo_type: 'hash', memo: 'AAAA' }],
    ['a time that is none', { created_at: 'yesterday' }],
    ['a source that is none', { source_account: 'someone' }],
  ])('that names %s cannot be read', (_, patch) => {
    const [first] = vectors.horizon;
    expect(
      readHorizonTransaction({ ...first?.transaction, ...patch }, first?.expected.hash ?? ''),
    ).toBeUndefined();
  });

  it('with a payment that cannot be read cannot be read at all', () => {
    const records = [{ type: 'create_account' }, { type: 'payment', id: '1', amount: 'much' }];
    expect(readHorizonPayments({ _embedded: { records } })).toBeUndefined();
  });
});

describe('the number of an operation', () => {
  it.each([
    [{ ledger: 8_474_167, order: 297, position: 1 }, '36396270127058945'],
    [{ ledger: 1, order: 1, position: 1 }, '4294971393'],
  ])('%j is %s', (place, id) => {
    expect(operationIdOf(place)).toBe(id);
    expect(positionOf(id)).toBe(place.position);
  });
});

describe('whether the ledgers that a source holds cover a time', () => {
  const now = Date.parse('2026-11-21T12:00:00.000Z');
  const week = 7 * 86_400_000;
  /** The answer of a node with the default retention. */
  const held = {
    oldestLedger: 60_000_001,
    latestLedger: 60_120_960,
    oldestAtMs: now - week,
    latestAtMs: now - 4_000,
  };

  it.each([
    ['a time within it', {}, week - 1_000, true],
    ['the closing of its oldest ledger', {}, week, true],
    ['a time before it', {}, week + 1, false],
    ['any time, where the node is a minute behind', { latestAtMs: now - 61_000 }, 1_000, false],
    ['a time that so few ledgers cannot cover', { oldestAtMs: 0 }, 1_000, false],
    ['any time, where the oldest is newer than the latest', { oldestLedger: 60_200_000 }, 1_000, false],
  ])('%s', (_, changes, agoMs, expected) => {
    expect(covers({ ...held, ...changes }, now - agoMs, now)).toBe(expected);
  });
});
