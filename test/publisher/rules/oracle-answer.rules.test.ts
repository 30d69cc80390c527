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

const answerOf = (status: number, body: unknown) => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const read = (status: number, body: unknown) => readOracleAnswer(answerOf(status, body), head);

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

describe("the oracle's answer", () => {
  it('is a receipt for the batch with 200 or 201', () => {
    expect(read(201, receipt)).toEqual({ receipt });
    expect(read(200, receipt)).toEqual({ receipt });
  });

  it.each([
    ['oracle_receipt', [200, 201, 204], ''],
    ['oracle_receipt', [201], '<html>'],
    ['oracle_receipt', [200], { ...receipt, sequence: 9 }],
    ['oracle_refused', [301, 400, 401, 409, 422], ''],
    ['oracle_error', [408, 425, 429, 500], ''],
    ['oracle_error', [503], receipt],
  ])('is %s with %j and %j', (failure, statuses, body) => {
    for (const status of statuses) expect(read(status, body)).toMatchObject({ failure });
  });

  it('is shortened in the log', () => {
    const outcome = read(500, 'x'.repeat(10_000));
    expect('detail' in outcome && outcome.detail.length).toBe(204);
  });
});

describe('the answer to GET ORACLE_URL/head', () => {
  const { header, signature, publicKey } = batch;
  const taken = { header, signature, publicKey, receipt };
  const readHead = (status: number, body: unknown) => readOracleHead(answerOf(status, body));

  it('names the last batch that it took', () => {
    expect(readHead(200, { head: taken })).toEqual({ head });
    expect(readHead(200, { head: null })).toEqual({ head: null });
  });

  it.each([404, 405, 501])('%i is that of an oracle which does not show it', (status) => {
    expect(readHead(status, '')).toEqual({ silent: true });
  });

  it.each([
    [500, ''],
    [503, { head: taken }],
    [429, ''],
    [401, ''],
    [302, ''],
    [200, '<html>'],
    [200, {}],
    [200, { head: { ...taken, receipt: undefined } }],
    [200, { head: { ...taken, header: { ...header, sequence: 2 } } }],
    [200, { head: { ...taken, receipt: { ...receipt, receivedAt: '2026-01-01T00:00:00.000Z' } } }],
  ])('%i %j holds the log', (status, body) => {
    expect(readHead(status, body)).toMatchObject({ failure: 'oracle_error' });
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
