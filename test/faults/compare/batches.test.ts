import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { compareBatches } from '../../../scripts/faults/compare/batches.rules.js';
import type { StoredBatch } from '../../../scripts/faults/compare/stored.js';
import type { LedgerEntry } from '../../../scripts/faults/ledger-entries.js';
import type { TakenBatch } from '../../../scripts/reference-oracle/index.js';

interface Vectors {
  keys: { keyId: string; publicKey: string }[];
  batches: { header: StoredBatch['header']; headerHash: string; signature: string; entries: object[] }[];
}

const path = new URL('../../../contract/vectors/batch.json', import.meta.url);
const { keys, batches: vectors } = JSON.parse(readFileSync(path, 'utf8')) as Vectors;
const batches: StoredBatch[] = vectors.map(({ header, headerHash, signature, entries }) => ({
  header,
  headerHash,
  signature,
  entries,
  announced: true,
  receipt: receiptOf(header.sequence, headerHash),
}));
const taken = batches.map(({ header, signature, receipt }) => ({
  header,
  signature,
  receipt,
  publicKey: '',
})) as TakenBatch[];
const told: LedgerEntry[] = batches.map(({ header, headerHash }) => ({
  kind: 'batch_told',
  sequence: header.sequence,
  headerHash,
  submitted: true,
}));

function receiptOf(sequence: number, headerHash: string): StoredBatch['receipt'] {
  const at = '2026-11-22T10:00:00.000Z';
  return { version: 1, sequence, headerHash, receivedAt: at, oracle: 'G', signature: 's' };
}

function said(given: { told?: LedgerEntry[]; batches?: StoredBatch[]; taken?: TakenBatch[] }): string[] {
  const compared = { told, batches, taken, ...given };
  return compareBatches(compared.told, compared.batches, compared.taken, keys).map(
    ({ id, what }) => `${id}: ${what}`,
  );
}

describe('the comparison of batches', () => {
  it('finds nothing where all agrees', () => {
    expect(batches.length).toBe(4);
    expect(said({})).toEqual([]);
  });

  it('names a sequence that is skipped, and the chain that it breaks', () => {
    const found = said({ told: [], batches: batches.filter(({ header }) => header.sequence !== 2) });
    expect(found).toContain('2: The log skips it: 3 comes in its place.');
    expect(found).toContain('2: The oracle has it, and it is not stored.');
    expect(found.join()).toContain('3: It does not verify');
  });

  it('names a batch that was shown and is lost, has another header, or lost its receipt', () => {
    expect(said({ batches: batches.slice(0, 3), taken: taken.slice(0, 3) })).toEqual([
      '4: It was shown and is lost.',
    ]);
    const forked = told.map((entry, index) => (index === 1 ? { ...entry, headerHash: 'ff' } : entry));
    expect(said({ told: forked as LedgerEntry[] })).toEqual([
      '2: It was shown with another header: the log has forked.',
    ]);
    const unreceipted = batches.map((batch, index) => (index === 3 ? { ...batch, receipt: null } : batch));
    expect(said({ batches: unreceipted })).toEqual([
      '4: It was shown with a receipt, which is lost.',
      '4: The oracle has another batch of this number.',
    ]);
  });

  it('names entries and signatures that are not those of the batch', () => {
    const [first, second, ...others] = batches;
    if (!first || !second) throw new Error('the vectors lack their batches');
    const swapped = [{ ...first, entries: second.entries }, second, ...others];
    expect(said({ batches: swapped }).join()).toContain('1: It does not verify');
    const unsigned = [{ ...first, signature: second.signature }, second, ...others];
    expect(said({ batches: unsigned }).join()).toContain('1: It does not verify');
  });

  it('names a batch that the oracle lacks, and one that no event tells of', () => {
    expect(said({ taken: taken.slice(0, 3) })).toEqual(['4: The oracle does not have it.']);
    const silent = batches.map((batch, index) => (index === 0 ? { ...batch, announced: false } : batch));
    expect(said({ batches: silent })).toEqual(['1: No event tells of it.']);
  });
});
