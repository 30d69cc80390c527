import { describe, expect, it } from '@jest/globals';
import { publisherExamples } from '../../../contract/examples/publisher.js';
import { verifyBatch, verifyEntry } from '../../../contract/verification/verify-batch.js';
import {
  type OracleReceipt,
  oracleReceipt,
  receiptFault,
} from '../../../contract/verification/verify-receipt.js';
import {
  belowOracle,
  readOracleAnswer,
  readOracleHead,
  whatTheLogLacks,
} from '../../../server/features/publisher/oracle-answer.rules.js';

const example = publisherExamples.proveBatchEntry.answer;
const { batch } = example;
const receipt: OracleReceipt = oracleReceipt.parse(batch.receipt);
const head = { sequence: 1, headerHash: batch.headerHash };

function read(status: number, body: unknown, headers: Record<string, string> = {}) {
  return readOracleAnswer(
    { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
    head,
  );
}

describe("the contract's example", () => {
  it('is a batch, a proof and a receipt that verify', () => {
    const keys = [{ keyId: batch.header.keyId, publicKey: batch.publicKey }];
    expect(verifyBatch({ ...batch, keys, previous: null })).toEqual({
      ok: true,
      headerHash: batch.headerHash,
    });
    expect(verifyEntry({ ...example, header: batch.header })).toBe(true);
    expect(receiptFault(batch.receipt, head, receipt.oracle)).toBeNull();
  });
});

describe('a receipt', () => {
  const otherKey = batch.publicKey;
  it.each<[string, unknown]>([
    ['malformed_receipt', null],
    ['malformed_receipt', {}],
    ['malformed_receipt', { ...receipt, note: 'more' }],
    ['malformed_receipt', { ...receipt, version: 2 }],
    ['malformed_receipt', { ...receipt, receivedAt: 'yesterday' }],
    ['other_batch', { ...receipt, sequence: 2 }],
    ['other_batch', { ...receipt, headerHash: 'ab'.repeat(32) }],
    ['bad_receipt_signature', { ...receipt, receivedAt: '2026-11-21T09:30:00.181Z' }],
    ['bad_receipt_signature', { ...receipt, oracle: otherKey }],
    ['bad_receipt_signature', { ...receipt, oracle: `${receipt.oracle.slice(0, -1)}A` }],
    ['bad_receipt_signature', { ...receipt, signature: 'AA==' }],
    ['bad_receipt_signature', { ...receipt, signature: 'not base64' }],
  ])('is refused as %s', (fault, changed) => {
    expect(receiptFault(changed, head)).toBe(fault);
  });

  it('must be by the known oracle, if there is one', () => {
    expect(receiptFault(receipt, head, otherKey)).toBe('other_oracle');
  });
});

describe("the oracle's answer", () => {
  it('is a receipt for the batch with 200 or 201', () => {
    expect(read(201, receipt)).toEqual({ receipt });
    expect(read(200, receipt)).toEqual({ receipt });
  });

  it.each([
    [200, '', 'oracle_receipt', true],
    [201, '<html>', 'oracle_receipt', true],
    [204, '', 'oracle_receipt', true],
    [200, { ...receipt, sequence: 9 }, 'oracle_receipt', true],
    [301, '', 'oracle_refused', false],
    [400, '', 'oracle_refused', false],
    [401, '', 'oracle_refused', false],
    [408, '', 'oracle_error', true],
    [409, { code: 'conflict' }, 'oracle_refused', false],
    [422, '', 'oracle_refused', false],
    [425, '', 'oracle_error', true],
    [429, '', 'oracle_error', true],
    [500, '', 'oracle_error', true],
    [503, receipt, 'oracle_error', true],
  ])('%i %o is %s, worth trying again: %s', (status, body, failure, retryable) => {
    expect(read(status, body)).toMatchObject({ failure, retryable });
  });

  it('may ask for a longer wait, in seconds', () => {
    expect(read(503, '', { 'retry-after': '3' })).toMatchObject({ waitMs: 3_000 });
    expect(read(503, '', { 'retry-after': 'Sat, 21 Nov 2026 09:30:00 GMT' })).toMatchObject({ waitMs: 0 });
    expect(read(422, '', { 'retry-after': '3' })).toMatchObject({ waitMs: 0 });
  });

  it('is shortened in the log', () => {
    const outcome = read(500, 'x'.repeat(10_000));
    expect('detail' in outcome && outcome.detail.length).toBe(204);
  });
});

describe('the answer to GET ORACLE_URL/head', () => {
  const { header, signature, publicKey } = batch;
  const taken = { header, signature, publicKey, receipt };
  const readHead = (status: number, body: unknown) =>
    readOracleHead({ status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) });

  it('names the last batch that it took', () => {
    expect(readHead(200, { head: taken })).toEqual({ head });
    expect(readHead(200, { head: null })).toEqual({ head: null });
  });

  it.each([404, 405, 501])('%i is that of an oracle which does not show it', (status) => {
    expect(readHead(status, '')).toEqual({ silent: true });
  });

  it.each([
    [500, '', true],
    [503, { head: taken }, true],
    [429, '', true],
    [401, '', false],
    [302, '', false],
    [200, '<html>', false],
    [200, {}, false],
    [200, { head: { ...taken, receipt: undefined } }, false],
    [200, { head: { ...taken, header: { ...header, sequence: 2 } } }, false],
    [200, { head: { ...taken, receipt: { ...receipt, receivedAt: '2026-01-01T00:00:00.000Z' } } }, false],
  ])('%i %j holds the log, and is worth trying again: %s', (status, body, retryable) => {
    expect(readHead(status, body)).toMatchObject({ failure: 'oracle_error', retryable });
  });

  const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
  it.each([
    [null, null, null],
    [null, { sequence: 1, headerHash: a }, 'batch 1 already'],
    [{ sequence: 7, headerHash: a }, { sequence: 7, headerHash: a }, null],
    [{ sequence: 7, headerHash: a }, { sequence: 8, headerHash: b }, 'batch 8 already'],
    [{ sequence: 7, headerHash: a }, { sequence: 7, headerHash: b }, 'another batch 7'],
    [{ sequence: 7, headerHash: a }, { sequence: 6, headerHash: b }, null],
    [{ sequence: 7, headerHash: a }, null, null],
  ])('beside a log that ends with %j, %j says that the log lacks: %s', (own, theirs, lack) => {
    const said = whatTheLogLacks(own, theirs);
    if (lack === null) expect(said).toBeNull();
    else expect(said).toContain(lack);
  });

  it.each([
    ['https://oracle.example/batches', 'https://oracle.example/batches/7'],
    ['https://oracle.example/batches/', 'https://oracle.example/batches/7'],
    ['https://oracle.example', 'https://oracle.example/7'],
    ['https://oracle.example/in?key=k', 'https://oracle.example/in/7?key=k'],
  ])('below %s, batch 7 is at %s', (url, expected) => {
    expect(belowOracle(url, 7)).toBe(expected);
  });
});
