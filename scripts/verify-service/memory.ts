import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { readIfPresent, replaceFile } from '../lib/files.js';
import { CannotCheck } from './api.js';

/** The results of an earlier check of a service. */
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

/** What is remembered, by address of the service; empty where there is no file. Throws CannotCheck on other content. */
export async function recall(path: string): Promise<MemoryFile> {
  const text = await readIfPresent(path).catch((error: Error) => {
    throw new CannotCheck(`${path} cannot be read: ${error.message}`);
  });
  if (text === undefined) return { version: 1, services: {} };
  try {
    return memoryFile.parse(JSON.parse(text));
  } catch {
    throw new CannotCheck(`${path} does not hold remembered heads: mend it, or begin anew with another file`);
  }
}

export async function remember(path: string, memory: MemoryFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, `${JSON.stringify(memory, null, 2)}\n`);
}
