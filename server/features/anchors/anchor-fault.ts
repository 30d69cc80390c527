import type { UnavailableReason } from '../../../contract/rates.js';
import { OutboundError, type OutboundFailure } from '../../outbound/outbound-error.js';

/** An anchor cannot be used just now, for a reason that the rates answer names. */
export class AnchorFault extends Error {
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'AnchorFault';
    this.reason = reason;
  }
}

const reasonOfFailure: Readonly<Record<OutboundFailure, UnavailableReason>> = {
  invalid_url: 'blocked',
  blocked: 'blocked',
  timeout: 'timeout',
  too_large: 'malformed',
  unreachable: 'unreachable',
  bad_response: 'malformed',
};

/** What a failed call of the connector means for the anchor; anything else is not an anchor's doing and is thrown on. */
export function toAnchorFault(error: unknown): AnchorFault {
  if (error instanceof AnchorFault) return error;
  if (!(error instanceof OutboundError)) throw error;
  return new AnchorFault(reasonOfFailure[error.failure], error.message, error);
}
