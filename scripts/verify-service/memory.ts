import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { readJson, replaceFile } from '../lib/files.js';
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

const memoryFile = z.object({ services: z.record(remembered) });

export type Remembered = z.infer<typeof remembered>;

/** What is remembered, by address of the service; empty where there is no file. Throws CannotCheck on other content. */
export async function recall(path: string): Promise<Record<string, Remembered>> {
  try {
    return memoryFile.parse((await readJson(path)) ?? { services: {} }).services;
  } catch {
    throw new CannotCheck(`${path} does not hold remembered heads: mend it, or begin anew with another file`);
  }
}

/** Adds a check to what the file holds. */
export async function remember(path: string, address: string, checked: Remembered): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const services = { ...(await recall(path)), [address]: checked };
  await replaceFile(path, `${JSON.stringify({ services }, null, 2)}\n`);
}
