import type { UnavailableReason } from '../../contract/schemas/rates.js';
import { OutboundError, type OutboundFailure } from './outbound-error.js';

/** An external service cannot be used now, for a reason that the rates answer names. */
export class UpstreamFault extends Error {
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'UpstreamFault';
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

/** The fault behind a failed outbound call. Rethrows errors that the other side did not cause. */
export function toUpstreamFault(error: unknown): UpstreamFault {
  if (error instanceof UpstreamFault) return error;
  if (!(error instanceof OutboundError)) throw error;
  return new UpstreamFault(reasonOfFailure[error.failure], error.message, error);
}
