import { setTimeout as delay } from 'node:timers/promises';

/**
 * Repeats until it passes; after `timeout` milliseconds it throws the last failure. The default is far longer than anything
 * here takes, for busy machines.
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
