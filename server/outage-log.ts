import type { Clock, Logger } from './ports.js';

/**
 * Logs when something outside of this service begins to fail and when it works again, and nothing in between: how often
 * it is used in the meantime, and how its failures differ, is for the metrics.
 */
export function createOutageLog(deps: {
  /** The messages of the two lines. */
  says: { failed: string; worked: string };
  clock: Clock;
  logger: Logger;
}) {
  const { says, clock, logger } = deps;
  /** Since when each fails, by `clock`; at most as many as there are keys. */
  const failingSince = new Map<string, number>();
  return {
    /** `key` names what failed among the things that this log is about. */
    failed(key: string, fields: object): void {
      if (failingSince.has(key)) return;
      failingSince.set(key, clock());
      logger.warn(fields, says.failed);
    },
    worked(key: string, fields: object): void {
      const since = failingSince.get(key);
      if (since === undefined) return;
      failingSince.delete(key);
      logger.info({ ...fields, failedForSeconds: Math.round((clock() - since) / 1_000) }, says.worked);
    },
  };
}
