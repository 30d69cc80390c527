import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { CannotCheck } from './api.js';

/** What an earlier check of a service vouches for. */
const remembered = z.object({
  checkedAt: z.string(),
  head: z.object({ sequence: z.number().int().min(1), headerHash: z.string() }).nullable(),
  /** Trusted since the first check. */
  keys: z.array(z.object({ keyId: z.string(), publicKey: z.string() })),
  /** The key of its oracle's receipts (G…), once there was one. */
  oracle: z.string().nullable(),
});

const memoryFile = z.object({ version: z.literal(1), services: z.record(remembered) });

export type Remembered = z.infer<typeof remembered>;
type MemoryFile = z.infer<typeof memoryFile>;

/** Heads by the address of the service; nothing yet where there is no file. Throws CannotCheck on another file. */
export async function recall(path: string): Promise<MemoryFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { version: 1, services: {} };
    throw new CannotCheck(`${path} cannot be read: ${(error as Error).message}`);
  }
  try {
    return memoryFile.parse(JSON.parse(text));
  } catch {
    throw new CannotCheck(`${path} does not hold remembered heads: mend it, or begin anew with another file`);
  }
}

/** Writes beside the file and renames: what is remembered is never half written. */
export async function remember(path: string, memory: MemoryFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}.new`;
  await writeFile(beside, `${JSON.stringify(memory, null, 2)}\n`);
  await rename(beside, path);
}
