import { z } from 'zod';
import { type Outbound, OutboundError } from '../../outbound/outbound.js';
import { type OracleRecord, parseJson, readOracleRecord, recordUrl } from './oracle-record.rules.js';

/** The oracle's records of the batches that it took. */
export interface OracleRecords {
  /** Asks once; never rejects because of the oracle. */
  read(sequence: number): Promise<OracleRecord>;
  /** The entries of a batch as the oracle received them; null if it does not show them. Rejects if it cannot be reached. */
  readEntries(sequence: number): Promise<object[] | null>;
}

const defaultTimeoutMs = 10_000;
const maxRecordBytes = 64 * 1024;
const entriesTimeoutMs = 60_000;
/** A batch has 200,000 entries at most, about 600 bytes each. */
const maxEntriesBytes = 256 * 1024 * 1024;

const entriesAnswer = z.object({ entries: z.array(z.object({}).passthrough()) });

/** `url`: ORACLE_URL as it is. `outbound`: a connector that trusts its origin. */
export function createOracleRecords(deps: {
  url: string;
  outbound: Outbound;
  timeoutMs?: number;
}): OracleRecords {
  const { url, outbound, timeoutMs = defaultTimeoutMs } = deps;
  return {
    async read(sequence) {
      try {
        const { status, body } = await outbound({
          url: recordUrl(url, sequence),
          timeoutMs,
          maxBytes: maxRecordBytes,
          onOverflow: 'truncate',
        });
        return readOracleRecord({ status, body: body.toString('utf8') }, sequence);
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        const failure = error.failure === 'timeout' ? 'oracle_timeout' : 'oracle_unreachable';
        return { kind: 'away', failure, detail: error.message };
      }
    },

    async readEntries(sequence) {
      const { status, body } = await outbound({
        url: recordUrl(url, sequence, 'entries'),
        timeoutMs: entriesTimeoutMs,
        maxBytes: maxEntriesBytes,
      });
      const answer = status === 200 ? entriesAnswer.safeParse(parseJson(body.toString('utf8'))) : undefined;
      return answer?.success === true ? answer.data.entries : null;
    },
  };
}
