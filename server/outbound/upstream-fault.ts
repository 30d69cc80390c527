import { parseUrl } from '../../contract/anchor-documents/values.js';
import { readRetryAfter } from '../../contract/client/read-headers.js';
import type { UnavailableReason } from '../../contract/schemas/rates.js';
import type { Random } from '../ports.js';
import { backoffMs } from '../timing.js';
import type { OutboundAnswer } from './outbound.js';
import { OutboundError, type OutboundFailure } from './outbound-error.js';

const withoutHeaderSeconds = 5;
const longestSeconds = 60;

/**
 * For how long a service that answers 429 or 503 is not asked again: its Retry-After, which is in seconds or a date
 * (RFC 9110 section 10.2.3), but between one second and a minute.
 */
export function pauseOf(retryAfter: string | undefined, nowMs: number): number {
  const asked = readRetryAfter({ get: () => retryAfter ?? null }, nowMs) ?? withoutHeaderSeconds;
  return Math.min(longestSeconds, Math.max(1, asked)) * 1_000;
}

// How large the answers of an anchor may be, whoever asks for them.

export const maxInfoBytes = 256 * 1024;
export const maxPriceBytes = 64 * 1024;

/** An external service cannot be used now, for a reason that the rates answer names. */
export class UpstreamFault extends Error {
  readonly reason: UnavailableReason;
  /** For how long it asks not to be asked again. */
  readonly pauseMs: number;
  /** Whether the operator of the other side would mend it by writing something else: the message says what. */
  readonly isSpelling: boolean;

  constructor(
    reason: UnavailableReason,
    message: string,
    options: { cause?: unknown; pauseMs?: number; isSpelling?: boolean } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'UpstreamFault';
    this.reason = reason;
    this.pauseMs = options.pauseMs ?? 0;
    this.isSpelling = options.isSpelling ?? reason === 'malformed';
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
  return new UpstreamFault(reasonOfFailure[error.failure], error.message, { cause: error });
}

/** The fault of an answer with a status that gives nothing. A redirect is never followed. */
export function faultOfStatus(
  { status, headers }: Pick<OutboundAnswer, 'status' | 'headers'>,
  document: string,
  nowMs: number,
): UpstreamFault {
  if (status >= 300 && status < 400) {
    const target = parseUrl(headers.location);
    const where = target === null ? '' : ` to ${target.origin}${target.pathname}`.slice(0, 200);
    const message = `${document} answers ${status}, a redirect${where}, which is not followed`;
    return new UpstreamFault('error', message, { isSpelling: true });
  }
  const pauses = status === 429 || (status === 503 && headers['retry-after'] !== undefined);
  const pauseMs = pauses ? pauseOf(headers['retry-after'], nowMs) : 0;
  return new UpstreamFault(status === 429 ? 'busy' : 'error', `${document} answers ${status}`, { pauseMs });
}

const pauses = { baseMs: 2_000, factor: 2, maxMs: 60_000, jitter: 0.2 };

/** How long a cache waits after so many failures in a row: longer each time, and as long as the other side asks for. */
export function pauseAfterFaults(random: Random): (failures: number, error: unknown) => number {
  return (failures, error) =>
    Math.max(backoffMs(failures, pauses, random), error instanceof UpstreamFault ? error.pauseMs : 0);
}
