import type { Logger } from '../../ports.js';
import type { FleetAnchor } from './fleet-file.rules.js';

/** The tokens that anchors gave the operator, read from the environment variables that the fleet file names. */
export interface PartnerTokens {
  /** The token for this address, or undefined: it is sent only to the origin that the fleet file grants it for. */
  tokenFor(anchor: FleetAnchor | undefined, url: string): string | undefined;
  /** Logs each anchor whose environment variable is named in the fleet file but not set. */
  reportMissing(anchors: readonly FleetAnchor[]): void;
}

export function createPartnerTokens(deps: {
  env: Readonly<Record<string, string | undefined>>;
  logger: Logger;
}): PartnerTokens {
  const { env, logger } = deps;
  return {
    tokenFor(anchor, url) {
      const granted = anchor?.partnerToken;
      if (granted === undefined || !URL.canParse(url) || new URL(url).origin !== granted.origin)
        return undefined;
      return env[granted.env] || undefined;
    },
    reportMissing(anchors) {
      for (const { id, partnerToken } of anchors) {
        if (partnerToken === undefined || env[partnerToken.env]) continue;
        logger.warn(
          { anchorId: id, variable: partnerToken.env },
          'the partner token of an anchor is not set',
        );
      }
    },
  };
}
