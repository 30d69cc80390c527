import type { AnchorEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import type { Logger } from '../../ports.js';
import type { Fleet } from './fleet-file.rules.js';

/** Warns the operator about entries of the fleet that can never work as configured. */
export function createFleetWarnings(deps: {
  /** Whether an FX reference is configured; without one there are no estimates. */
  hasFx: boolean;
  logger: Logger;
}) {
  const { hasFx, logger } = deps;
  const reported = new Set<string>();

  return {
    /** Reports what the fleet file alone shows. */
    reportFile(anchors: Fleet['anchors']): void {
      for (const { id, corridors: served } of anchors) {
        const without = served.filter(({ deliveryMethods }) => deliveryMethods.length === 0);
        if (without.length === 0) continue;
        const about = { anchorId: id, corridors: without.map((corridor) => corridor.id) };
        const message =
          'the anchor has no delivery method in corridors that it lists: requests that name one never reach it';
        logger.warn(about, message);
      }
    },
    /** Reports what the addresses of an anchor show, once per anchor, when they become known. */
    reportEndpoints(anchorId: string, endpoints: AnchorEndpoints): void {
      const { quoteServer, transferServerSep24, transferServerSep6 } = endpoints;
      const isEstimated = transferServerSep24 !== null || transferServerSep6 !== null;
      if (hasFx || quoteServer !== null || !isEstimated || reported.has(anchorId)) return;
      reported.add(anchorId);
      const message = 'the anchor has no SEP-38 prices and FX_URL is not set: it will never have a quote';
      logger.warn({ anchorId }, message);
    },
  };
}
