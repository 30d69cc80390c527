import type { BatchHead } from '../../../contract/verification/verify-batch.js';
import { type Outbound, OutboundError, type OutboundFailure } from '../../outbound/outbound.js';
import {
  type Answer,
  belowOracle,
  type OracleFailure,
  type OracleHead,
  type OracleOutcome,
  type RecordedBatch,
  readOracleAnswer,
  readOracleBatch,
  readOracleEntries,
  readOracleHead,
} from './oracle-answer.rules.js';

/** A batch as it is sent. */
export interface Submission extends BatchHead {
  /** Number of entries. */
  size: number;
  /** JSON: `{header, signature, publicKey, entries}`. */
  body: string;
}

/** The oracle over HTTP. The first two never reject because of the oracle; the others throw OutboundError. */
export interface Oracle {
  /** Sends one batch once. Sending it again is harmless. */
  submit(submission: Submission): Promise<OracleOutcome>;
  head(): Promise<OracleHead>;
  /** The batch of this sequence as the oracle shows it, not verified; null if it shows none. */
  batch(sequence: number): Promise<RecordedBatch | null>;
  entries(sequence: number): Promise<object[] | null>;
}

const usualTimeoutMs = 10_000;
/** The oracle hashes every entry before it answers. */
const timeoutMsPerEntry = 1;
const maxRecordBytes = 64 * 1024;
/** A batch has 10,000 entries at most, under 800 bytes each. */
const maxEntriesBytes = 16 * 1024 * 1024;

const failures: Readonly<Record<OutboundFailure, Pick<OracleFailure, 'failure' | 'retryable'>>> = {
  timeout: { failure: 'oracle_timeout', retryable: true },
  unreachable: { failure: 'oracle_unreachable', retryable: true },
  bad_response: { failure: 'oracle_unreachable', retryable: true },
  too_large: { failure: 'oracle_receipt', retryable: false },
  blocked: { failure: 'oracle_unreachable', retryable: false },
  invalid_url: { failure: 'oracle_unreachable', retryable: false },
};

/** `url`: ORACLE_URL unchanged, to which batches are posted. `outbound`: a connector that trusts its origin. */
export function createOracle(deps: { url: string; outbound: Outbound; timeoutMs?: number }): Oracle {
  const { url, outbound, timeoutMs = usualTimeoutMs } = deps;

  async function get(maxBytes: number, ...path: (number | string)[]): Promise<Answer> {
    const answer = await outbound({ url: belowOracle(url, ...path), timeoutMs, maxBytes });
    return { ...answer, body: answer.body.toString('utf8') };
  }

  async function orFailure<T>(work: () => Promise<T>): Promise<T | OracleFailure> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { ...failures[error.failure], waitMs: 0, detail: error.message };
    }
  }

  return {
    submit: (submission) =>
      orFailure(async () => {
        const { headerHash, size, body } = submission;
        const answer = await outbound({
          url,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': headerHash },
          body,
          timeoutMs: timeoutMs + size * timeoutMsPerEntry,
          maxBytes: maxRecordBytes,
        });
        return readOracleAnswer({ ...answer, body: answer.body.toString('utf8') }, submission);
      }),
    head: () => orFailure(async () => readOracleHead(await get(maxRecordBytes, 'head'))),
    batch: async (sequence) => readOracleBatch(await get(maxRecordBytes, sequence)),
    entries: async (sequence) => readOracleEntries(await get(maxEntriesBytes, sequence, 'entries')),
  };
}
