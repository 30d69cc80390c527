import type { BatchHead } from '../../../contract/verification/verify-batch.js';
import { type Outbound, OutboundError, type OutboundFailure } from '../../outbound/outbound.js';
import { type OracleOutcome, readOracleAnswer } from './oracle-answer.rules.js';

/** A batch as it is sent. */
export interface Submission extends BatchHead {
  /** Number of entries. */
  size: number;
  /** JSON: `{header, signature, publicKey, entries}`. */
  body: string;
}

/** Sends one batch once. Never rejects: every failure is a result. Sending a batch again is harmless. */
export type SubmitToOracle = (submission: Submission) => Promise<OracleOutcome>;

const baseTimeoutMs = 10_000;
/** The oracle hashes every entry before it answers. */
const timeoutMsPerEntry = 1;
const maxTimeoutMs = 60_000;
const maxReceiptBytes = 16 * 1024;

const failures: Readonly<
  Record<OutboundFailure, Pick<Extract<OracleOutcome, { failure: string }>, 'failure' | 'retryable'>>
> = {
  timeout: { failure: 'oracle_timeout', retryable: true },
  unreachable: { failure: 'oracle_unreachable', retryable: true },
  bad_response: { failure: 'oracle_unreachable', retryable: true },
  too_large: { failure: 'oracle_receipt', retryable: false },
  blocked: { failure: 'oracle_unreachable', retryable: false },
  invalid_url: { failure: 'oracle_unreachable', retryable: false },
};

/** `url`: ORACLE_URL unchanged, to which batches are posted. `outbound`: a connector that trusts its origin. */
export function createSubmitToOracle(deps: {
  url: string;
  outbound: Outbound;
  timeoutMs?: number;
}): SubmitToOracle {
  const { url, outbound, timeoutMs = baseTimeoutMs } = deps;
  return async (submission) => {
    try {
      const answer = await outbound({
        url,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': submission.headerHash },
        body: submission.body,
        timeoutMs: Math.min(maxTimeoutMs, timeoutMs + submission.size * timeoutMsPerEntry),
        maxBytes: maxReceiptBytes,
      });
      const { status, headers } = answer;
      return readOracleAnswer({ status, headers, body: answer.body.toString('utf8') }, submission);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { ...failures[error.failure], waitMs: 0, detail: error.message };
    }
  };
}
