import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readIfPresent, replaceFile } from './files.js';

const lastDemo = z.object({
  serviceUrl: z.string(),
  intentHash: z.string(),
  anchorId: z.string(),
  /** `S…` of a wallet that was made for this one off-ramp and owns nothing. */
  secretKey: z.string(),
});

export type LastDemo = z.infer<typeof lastDemo>;

const file = fileURLToPath(new URL('../../data/last-demo.json', import.meta.url));

/** Keeps what a later command needs to speak for the wallet of the latest demo. */
export async function keepLastDemo(demo: LastDemo): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await replaceFile(file, `${JSON.stringify(demo, null, 2)}\n`, 0o600);
}

/** The latest demo; undefined where there was none. */
export async function readLastDemo(): Promise<LastDemo | undefined> {
  const text = await readIfPresent(file);
  return text === undefined ? undefined : lastDemo.parse(JSON.parse(text));
}
