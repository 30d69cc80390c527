import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJson, replaceFile } from './files.js';

export interface LastDemo {
  serviceUrl: string;
  intentHash: string;
  anchorId: string;
  /** `S…` of a wallet that was made for this one off-ramp and owns nothing. */
  secretKey: string;
}

const file = fileURLToPath(new URL('../../data/last-demo.json', import.meta.url));

/** Keeps what a later command needs to speak for the wallet of the latest demo. */
export async function keepLastDemo(demo: LastDemo): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await replaceFile(file, `${JSON.stringify(demo, null, 2)}\n`, 0o600);
}

/** The latest demo; undefined where there was none. */
export const readLastDemo = () => readJson<LastDemo>(file);
