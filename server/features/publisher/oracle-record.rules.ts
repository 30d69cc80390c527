import { z } from 'zod';
import type { TickFailure } from '../../../contract/schemas/publisher.js';
import { batchHeader } from '../../../contract/verification/verify-batch.js';
import { oracleReceipt, receiptFault } from '../../../contract/verification/verify-receipt.js';
import { comeBackStatuses, detailOf } from './oracle-answer.rules.js';

/** A batch as the oracle stores it; callers must verify it. */
const recordedBatch = z.object({
  header: batchHeader,
  signature: z.string(),
  publicKey: z.string(),
  receipt: oracleReceipt,
});

type RecordedBatch = z.infer<typeof recordedBatch>;

/** The oracle's answer to a request for its record of one sequence. */
export type OracleRecord =
  | { kind: 'taken'; batch: RecordedBatch }
  /** The oracle says that it has none; an oracle that does not show its record says the same. */
  | { kind: 'absent' }
  /** The oracle cannot be reached now. */
  | { kind: 'away'; failure: TickFailure; detail: string }
  /** The answer is not a record: the oracle does not show its record. */
  | { kind: 'unreadable'; detail: string };

/** Reads an HTTP answer of the oracle to `GET ORACLE_URL/{sequence}`. */
export function readOracleRecord(answer: { status: number; body: string }, sequence: number): OracleRecord {
  const { status, body } = answer;
  const detail = detailOf(answer);
  if (status === 404) return { kind: 'absent' };
  if ((status >= 500 && status !== 501) || comeBackStatuses.has(status)) {
    return { kind: 'away', failure: 'oracle_error', detail };
  }
  const record = status === 200 ? recordedBatch.safeParse(parseJson(body)) : undefined;
  if (record?.success !== true) return { kind: 'unreadable', detail };
  const { header, receipt } = record.data;
  const fault = receiptFault(receipt, { sequence, headerHash: receipt.headerHash });
  if (fault !== null || header.sequence !== sequence) return { kind: 'unreadable', detail };
  return { kind: 'taken', batch: record.data };
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The URL of the record of a sequence, a path below ORACLE_URL, to which batches are posted. */
export function recordUrl(oracleUrl: string, ...path: (number | string)[]): string {
  const url = new URL(oracleUrl);
  url.pathname = [url.pathname.replace(/\/+$/, ''), ...path].join('/');
  return url.href;
}
