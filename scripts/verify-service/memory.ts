import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** Adds a check to what the file holds by then: checks that end at the same time forget nothing. */
export async function remember(path: string, address: string, checked: Remembered): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const lock = `${path}.lock`;
  for (let left = 200; left > 0 && !(await made(lock)); left -= 1) await sleep(25);
  try {
    const memory = await recall(path);
    const before = memory.services[address];
    const isOlder = (before?.head?.sequence ?? 0) > (checked.head?.sequence ?? 0);
    if (before === undefined || !isOlder) memory.services[address] = checked;
    await replaceFile(path, `${JSON.stringify(memory, null, 2)}\n`);
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** A folder is made by one of several processes. One that a killed process left gives way after five seconds. */
async function made(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch {
    return false;
  }
}
