import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type LedgerEntry, openLedger, readLedger } from '../../scripts/faults/ledger.js';

const folder = mkdtempSync(join(tmpdir(), 'fairlead-ledger-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function batch(sequence: number): LedgerEntry {
  return { kind: 'batch_told', sequence, headerHash: 'ab', submitted: false };
}

describe('the ledger', () => {
  it('has written an entry to its file when the write resolves, in the order of the writes', async () => {
    const file = join(folder, 'order.jsonl');
    const ledger = await openLedger(file);
    const all = Array.from({ length: 200 }, (_, index) => batch(index + 1));
    await Promise.all(
      all.map(async (entry) => {
        await ledger.write(entry);
        expect(await readFile(file, 'utf8')).toContain(`${JSON.stringify(entry)}\n`);
      }),
    );
    expect(ledger.size()).toBe(200);
    await ledger.close();
    expect(await readLedger(file)).toEqual(all);
  });

  it('leaves out a last line that is cut short', async () => {
    const file = join(folder, 'cut.jsonl');
    const ledger = await openLedger(file);
    await ledger.write(batch(1));
    await ledger.close();
    await appendFile(file, '{"kind":"batch_to');
    expect(await readLedger(file)).toEqual([batch(1)]);
  });

  it('does not go on in the file of another run', async () => {
    const file = join(folder, 'twice.jsonl');
    await (await openLedger(file)).close();
    await expect(openLedger(file)).rejects.toThrow('EEXIST');
  });
});
