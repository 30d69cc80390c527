import { validateHeaderValue } from 'node:http';
import type { Logger } from '../../ports.js';
import type { FleetAnchor } from './fleet-file.rules.js';

/** The tokens that anchors gave the operator, read from the environment variables that the fleet file names. */
export interface PartnerTokens {
  /** The token for this address, or undefined: it is sent only to the origin that the fleet file grants it for. */
  tokenFor(anchor: FleetAnchor | undefined, url: string): string | undefined;
  /** Whether the anchor granted a token that can be sent. */
  hasToken(anchor: FleetAnchor | undefined): boolean;
  /** Logs each anchor whose environment variable is named in the fleet file but not set, or cannot be sent. */
  reportMissing(anchors: readonly FleetAnchor[]): void;
}

export function createPartnerTokens(deps: {
  env: Readonly<Record<string, string | undefined>>;
  logger: Logger;
}): PartnerTokens {
  const { logger } = deps;
  // What writes a secret to a file or a variable often leaves a line break at its end.
  const tokenIn = (variable: string) => deps.env[variable]?.trim() || undefined;

  /** The outbound connector takes an invalid header for a mistake of its caller, and fails every request with it. */
  function sendableTokenIn(variable: string): string | undefined {
    const token = tokenIn(variable);
    return token !== undefined && isSendable(token) ? token : undefined;
  }

  return {
    tokenFor(anchor, url) {
      const granted = anchor?.partnerToken;
      if (granted === undefined || !URL.canParse(url) || new URL(url).origin !== granted.origin)
        return undefined;
      return sendableTokenIn(granted.env);
    },
    hasToken: (anchor) => {
      const granted = anchor?.partnerToken;
      return granted !== undefined && sendableTokenIn(granted.env) !== undefined;
    },
    reportMissing(anchors) {
      for (const { id, partnerToken } of anchors) {
        if (partnerToken === undefined || sendableTokenIn(partnerToken.env) !== undefined) continue;
        logger.warn(
          { anchorId: id, variable: partnerToken.env },
          tokenIn(partnerToken.env) === undefined
            ? 'the partner token of an anchor is not set'
            : 'the partner token of an anchor cannot be sent: it holds characters that no header may have',
        );
      }
    },
  };
}

function isSendable(token: string): boolean {
  try {
    validateHeaderValue('authorization', token);
    return true;
  } catch {
    return false;
  }
}
