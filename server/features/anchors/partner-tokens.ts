import { validateHeaderValue } from 'node:http';
import type { Logger } from '../../ports.js';
import type { FleetAnchor } from './fleet-file.rules.js';

/** A token that an anchor gave the operator, and the one origin that it is sent to. */
export interface PartnerToken {
  token: string;
  origin: string;
}

/**
 * The tokens by anchor, read from the environment variables that the fleet file names. Logs each variable that is not set,
 * or cannot be sent: the outbound connector takes an invalid header for a mistake of its caller, and fails every request.
 */
export function readPartnerTokens(
  anchors: readonly FleetAnchor[],
  { env, logger }: { env: Readonly<Record<string, string | undefined>>; logger: Logger },
): ReadonlyMap<string, PartnerToken> {
  const tokens = new Map<string, PartnerToken>();
  for (const { id, partnerToken } of anchors) {
    if (partnerToken === undefined) continue;
    // What writes a secret to a file or a variable often leaves a line break at its end.
    const token = env[partnerToken.env]?.trim() ?? '';
    if (token !== '' && isSendable(token)) {
      tokens.set(id, { token, origin: partnerToken.origin });
      continue;
    }
    const why = token === '' ? 'is not set' : 'cannot be sent: it holds characters that no header may have';
    const about = { anchorId: id, variable: partnerToken.env };
    logger.warn(about, `the partner token of an anchor ${why}`);
  }
  return tokens;
}

function isSendable(token: string): boolean {
  try {
    validateHeaderValue('authorization', token);
    return true;
  } catch {
    return false;
  }
}
