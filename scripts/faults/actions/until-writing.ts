import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from './stage.js';

const patienceMs = 3_000;

/** Waits a little for a write to be under way, so that a fault hits one; resolves to how many there are. */
export async function untilWriting(
  stage: Pick<Stage, 'writesUnderWay' | 'clock'>,
  url?: string,
): Promise<number> {
  const deadline = stage.clock() + patienceMs;
  while (stage.writesUnderWay(url) === 0 && stage.clock() < deadline) await delay(1);
  return stage.writesUnderWay(url);
}
