import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from '@jest/globals';
import { openArchive } from '../../../server/features/publisher/archive-file.js';

const folder = mkdtempSync(join(tmpdir(), 'fairlead-archive-'));
const file = join(folder, 'batches.jsonl');
afterAll(() => rmSync(folder, { recursive: true }));

const line = (sequence: number) =>
  JSON.stringify({
    header: {
      version: 1,
      sequence,
      previous: sequence === 1 ? null : 'ab'.repeat(32),
      root: 'cd'.repeat(32),
      size: 0,
      formula: 'v1',
      createdAt: '2026-11-22T09:30:00.000Z',
      keyId: 'ab'.repeat(8),
    },
    signature: 's',
    publicKey: 'p',
    entries: [],
  });

it('an archive gives the batches that it has, however late it is asked, and can be closed at any time', async () => {
  writeFileSync(file, `${[1, 2, 3].map(line).join('\n')}\n`);
  const archive = openArchive(file);
  await delay(50);
  expect(await archive.find(2)).toMatchObject({ header: { sequence: 2 } });
  expect(await archive.find(3)).toMatchObject({ header: { sequence: 3 } });
  expect(await archive.find(4)).toBeNull();
  await archive.close();
  await openArchive(file).close();
});

it('an archive with a line that is no batch is refused, and the line is named', async () => {
  writeFileSync(file, `${line(1)}\nshopping list\n`);
  await expect(openArchive(file).find(2)).rejects.toThrow(`${file}, line 2`);
});

it('an archive whose last line was cut short has the batches before it', async () => {
  writeFileSync(file, `${line(1)}\n${line(2)}\n${line(3).slice(0, -20)}`);
  const archive = openArchive(file);
  expect(await archive.find(2)).toMatchObject({ header: { sequence: 2 } });
  expect(await archive.find(3)).toBeNull();
  await archive.close();
});
