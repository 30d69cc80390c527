import type { LeaseSessions } from './lease-sessions.js';
import type { Leases } from './leases.js';

/**
 * Leases whose holders leave nothing open when they die: every fence writes down the session of its transaction, and
 * whoever takes a lapsed lease over first ends the sessions of the one before. See LeaseSessions.
 */
export function tidyLeases(leases: Leases, sessions: LeaseSessions): Leases {
  return {
    ...leases,
    async run(name, ttlMs, work) {
      await sessions.endDead(name);
      return leases.run(name, ttlMs, async (lease) => {
        try {
          return await work({
            ...lease,
            fence: async (session) => {
              await sessions.register(lease, session);
              await lease.fence(session);
            },
          });
        } finally {
          // Left behind they are found by the next holder, and ended for nothing: pooled sessions stay usable.
          await sessions.forget(lease).catch(() => undefined);
        }
      });
    },
  };
}
