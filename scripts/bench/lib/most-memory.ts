import { setTimeout as delay } from 'node:timers/promises';
import { processRssBytes } from './program.js';

const sampleMs = 50;

/** The peak memory of a process (RSS, in bytes) while `work` runs. */
export async function mostMemory(pid: number, work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      most = Math.max(most, await processRssBytes(pid));
      await delay(sampleMs);
    }
  })();
  await work().finally(() => {
    isOver = true;
  });
  await watch;
  return most;
}
