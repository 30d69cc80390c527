import { describe, expect, it } from '@jest/globals';
import { batchHeaderHash } from '../../../contract/verification/verify-batch.js';
import { openLedger } from '../../../scripts/reference-oracle/ledger.js';
import type { OracleRecord } from '../../../server/features/publisher/oracle-record.rules.js';
import { readOracleRecord, recordUrl } from '../../../server/features/publisher/oracle-record.rules.js';
import { createSigner } from '../../../server/features/publisher/signer.rules.js';
import { testSeed } from '../../fixtures/publisher/publisher-instance.js';

const signer = createSigner(testSeed);
const header = {
  version: 1 as const,
  sequence: 7,
  previous: 'ab'.repeat(32),
  root: 'cd'.repeat(32),
  size: 1,
  formula: 'v1',
  createdAt: '2026-11-22T09:30:00.000Z',
  keyId: signer.keyId,
};
const { publicKey } = signer;
const taken = openLedger({ clock: () => 0 }).take({ header, signature: signer.sign(header), publicKey }, []);
const kindOf = (status: number, body: unknown, sequence = 7): OracleRecord['kind'] =>
  readOracleRecord({ status, body: typeof body === 'string' ? body : JSON.stringify(body) }, sequence).kind;

describe('the answer to GET ORACLE_URL/7', () => {
  it('is a record where it has the batch and a receipt that verifies', () => {
    const read = readOracleRecord({ status: 200, body: JSON.stringify(taken) }, 7);
    expect(read).toMatchObject({
      kind: 'taken',
      batch: { receipt: { headerHash: batchHeaderHash(header) } },
    });
  });

  it.each<[OracleRecord['kind'], number, unknown]>([
    ['absent', 404, ''],
    ['absent', 404, { code: 'not_found' }],
    ['away', 500, ''],
    ['away', 503, taken],
    ['away', 429, ''],
    ['away', 408, ''],
    ['unreadable', 501, ''],
    ['unreadable', 405, ''],
    ['unreadable', 401, ''],
    ['unreadable', 302, ''],
    ['unreadable', 201, taken],
    ['unreadable', 200, '<html>'],
    ['unreadable', 200, {}],
    ['unreadable', 200, { ...taken, receipt: undefined }],
    ['unreadable', 200, { ...taken, header: { ...header, sequence: 8 } }],
    ['unreadable', 200, { ...taken, receipt: { ...taken.receipt, receivedAt: '2026-01-01T00:00:00.000Z' } }],
  ])('is %s with %i %j', (kind, status, body) => {
    expect(kindOf(status, body)).toBe(kind);
  });

  it('is no record where it is one of another sequence', () => {
    expect(kindOf(200, taken, 8)).toBe('unreadable');
  });
});

describe('the address of a record', () => {
  it.each([
    ['https://oracle.example/batches', 'https://oracle.example/batches/7'],
    ['https://oracle.example/batches/', 'https://oracle.example/batches/7'],
    ['https://oracle.example', 'https://oracle.example/7'],
    ['https://oracle.example/in?key=k', 'https://oracle.example/in/7?key=k'],
  ])('of %s is %s', (url, expected) => {
    expect(recordUrl(url, 7)).toBe(expected);
  });
});
