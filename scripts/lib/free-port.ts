import { randomInt } from 'node:crypto';
import getPort, { portNumbers } from 'get-port';

/** Below the ports that systems give out by themselves (from 32768), and above those that browsers refuse (up to 10080). */
const [lowest, highest] = [11_000, 26_999];

/**
 * A port of 127.0.0.1 that nothing listens on: the first free one of `preferred`, or any. Where it is listened on later, as
 * after a restart, no connection and no other server has it by then unless it asked for this very number.
 */
export function freePort(...preferred: readonly number[]): Promise<number> {
  const port = [...preferred, ...portNumbers(randomInt(lowest, highest), highest)];
  return getPort({ host: '127.0.0.1', port });
}
