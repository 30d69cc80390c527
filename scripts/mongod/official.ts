import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchTimeoutMs, keepFetched } from './cache.js';
import { runProgram } from './run-program.js';

const program = fileURLToPath(new URL('download-official.ts', import.meta.url));

/**
 * The official MongoDB binary, by mongodb-memory-server-core. Its downloader waits a minute on a silent line and
 * cannot be called off, so it runs as a process of its own, ended when its folder has not grown for `stallMs`.
 * @throws Error with one line that says why there is none.
 */
export function fetchOfficial(stallMs = 20_000): Promise<string> {
  return keepFetched('official', async (workFolder) => {
    const { stdout, failure } = await runProgram(process.execPath, ['--import', 'tsx', program, workFolder], {
      timeoutMs: fetchTimeoutMs,
      env: {
        ...process.env,
        MONGOMS_MAX_RETRIES: '1',
        // Unless npm says so, the downloader does not verify certificates.
        npm_config_strict_ssl: 'true',
      },
      giveUp: stallDetector(workFolder, stallMs),
    });
    if (failure !== '') throw new Error(failure);
    return stdout.trim().split('\n').at(-1) ?? '';
  });
}

function stallDetector(folder: string, stallMs: number): () => string | undefined {
  let bytes = 0;
  let grewAt = Date.now();
  return () => {
    const now = bytesIn(folder);
    if (now > bytes) {
      bytes = now;
      grewAt = Date.now();
    }
    return Date.now() - grewAt > stallMs ? `nothing arrived for ${Math.round(stallMs / 1000)} s` : undefined;
  };
}

function bytesIn(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
