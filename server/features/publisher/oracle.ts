import type { TickFailure } from '../../../contract/schemas/publisher.js';
import type { BatchHead } from '../../../contract/verification/verify-batch.js';
import { type Outbound, OutboundError, type OutboundFailure } from '../../outbound/outbound.js';
import {
  belowOracle,
  type OracleAnswer,
  type OracleFailure,
  readOracleAnswer,
  readOracleBatch,
  readOracleEntries,
  readOracleHead,
} from './oracle-answer.rules.js';

/** A batch as it is sent: `body` is `{header, signature, publicKey, entries}` as JSON, `size` the number of its entries. */
export interface Submission extends BatchHead {
  size: number;
  body: string;
}

export type Oracle = ReturnType<typeof createOracle>;

const timeoutMs = 10_000;
/** The oracle hashes every entry before it answers. */
const timeoutMsPerEntry = 1;
const maxRecordBytes = 64 * 1024;
/** A batch has 10,000 entries at most, under 800 bytes each. */
const maxEntriesBytes = 16 * 1024 * 1024;

/** Of a request without an answer; all others are `oracle_unreachable`. */
const failures: Partial<Record<OutboundFailure, TickFailure>> = {
  timeout: 'oracle_timeout',
  too_large: 'oracle_receipt',
};

/**
 * The oracle over HTTP. `submit` and `head` never reject because of the oracle; the others throw OutboundError.
 * `url` is ORACLE_URL unchanged, to which batches are posted; `outbound` is a connector that trusts its origin.
 */
export function createOracle({ url, outbound }: { url: string; outbound: Outbound }) {
  async function ask(request: Parameters<Outbound>[0]): Promise<OracleAnswer> {
    const { status, body } = await outbound(request);
    return { status, body: body.toString('utf8') };
  }

  const get = (maxBytes: number, ...path: (number | string)[]) =>
    ask({ url: belowOracle(url, ...path), timeoutMs, maxBytes });

  async function orFailure<T>(work: () => Promise<T>): Promise<T | OracleFailure> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { failure: failures[error.failure] ?? 'oracle_unreachable', detail: error.message };
    }
  }

  return {
    /** Sends one batch once. Sending it again is harmless. */
    submit: (submission: Submission) =>
      orFailure(async () => {
        const { headerHash, size, body } = submission;
        const answer = await ask({
          url,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': headerHash },
          body,
          timeoutMs: timeoutMs + size * timeoutMsPerEntry,
          maxBytes: maxRecordBytes,
        });
        return readOracleAnswer(answer, submission);
      }),
    head: () => orFailure(async () => readOracleHead(await get(maxRecordBytes, 'head'))),
    /** The batch of this sequence as the oracle shows it, not verified; null if it shows none. */
    batch: async (sequence: number) => readOracleBatch(await get(maxRecordBytes, sequence)),
    entries: async (sequence: number) => readOracleEntries(await get(maxEntriesBytes, sequence, 'entries')),
  };
}
