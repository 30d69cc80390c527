import { validateHeaderValue } from 'node:http';
import { parseUrl } from '../../../contract/anchor-documents/values.js';
import type { Logger } from '../../ports.js';
import type { FleetAnchor } from './fleet-file.rules.js';

export type PartnerTokens = ReturnType<typeof createPartnerTokens>;

/** The tokens that anchors gave the operator, read from the environment variables that the fleet file names. */
export function createPartnerTokens(deps: {
  env: Readonly<Record<string, string | undefined>>;
  logger: Logger;
}) {
  // What writes a secret to a file or a variable often leaves a line break at its end.
  const tokenIn = (variable: string) => deps.env[variable]?.trim() || undefined;

  /** The outbound connector takes an invalid header for a mistake of its caller, and fails every request with it. */
  function sendableTokenIn(variable: string): string | undefined {
    const token = tokenIn(variable);
    return token !== undefined && isSendable(token) ? token : undefined;
  }

  return {
    /** The token for this address, or undefined: it is sent only to the origin that the fleet file grants it for. */
    tokenFor(anchor: FleetAnchor | undefined, url: string): string | undefined {
      const granted = anchor?.partnerToken;
      const isGranted = parseUrl(url)?.origin === granted?.origin;
      return granted !== undefined && isGranted ? sendableTokenIn(granted.env) : undefined;
    },
    /** Whether the anchor granted a token that can be sent. */
    hasToken: (anchor: FleetAnchor | undefined) =>
      anchor?.partnerToken !== undefined && sendableTokenIn(anchor.partnerToken.env) !== undefined,
    /** Logs each anchor whose environment variable is named in the fleet file but not set, or cannot be sent. */
    reportMissing(anchors: readonly FleetAnchor[]): void {
      for (const { id, partnerToken } of anchors) {
        if (partnerToken === undefined || sendableTokenIn(partnerToken.env) !== undefined) continue;
        const why =
          tokenIn(partnerToken.env) === undefined
            ? 'is not set'
            : 'cannot be sent: it holds characters that no header may have';
        const about = { anchorId: id, variable: partnerToken.env };
        deps.logger.warn(about, `the partner token of an anchor ${why}`);
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
