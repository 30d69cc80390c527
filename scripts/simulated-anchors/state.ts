import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { type Withdrawal, withdrawalSchema } from './withdrawal.js';

const stateSchema = z.object({ version: z.literal(1), anchors: z.record(z.array(withdrawalSchema)) });

/** Withdrawals by anchor id. */
export type SavedWithdrawals = Readonly<Record<string, readonly Withdrawal[]>>;

/** Reads a state file; empty where there is none yet. Throws, naming the file, on one that is not of this form. */
export async function loadState(path: string): Promise<SavedWithdrawals> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw fault;
  }
  try {
    return stateSchema.parse(JSON.parse(text)).anchors;
  } catch (cause) {
    throw new Error(`${path} is not the state of the simulated anchors: move it away`, { cause });
  }
}

/** Writes beside the file and renames, so that a crash leaves the old state or the new. */
export async function saveState(path: string, anchors: SavedWithdrawals): Promise<void> {
  const beside = `${path}.${process.pid}.new`;
  await writeFile(beside, JSON.stringify({ version: 1, anchors }));
  await rename(beside, path);
}
