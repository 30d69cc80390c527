import { setTimeout as delay } from 'node:timers/promises';

/**
 * Tries until it passes; after `timeout` milliseconds the last failure is thrown. The default is far beyond what
 * anything here takes, for a machine that does other things at the same time.
 */
export async function waitFor<T>(
  attempt: () => T | Promise<T>,
  { timeout = 15_000, interval = 25 }: { timeout?: number; interval?: number } = {},
): Promise<T> {
  const givingUpAt = performance.now() + timeout;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > givingUpAt) throw error;
    }
    await delay(interval);
  }
}
