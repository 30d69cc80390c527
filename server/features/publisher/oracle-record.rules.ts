import { z } from 'zod';
import type { TickFailure } from '../../../contract/schemas/publisher.js';
import { batchHeader } from '../../../contract/verification/verify-batch.js';
import { oracleReceipt, receiptFault } from '../../../contract/verification/verify-receipt.js';
import { comeBackStatuses, detailOf } from './oracle-answer.rules.js';

/** A batch as the oracle keeps it; whoever reads it verifies it. */
const recordedBatch = z.object({
  header: batchHeader,
  signature: z.string(),
  publicKey: z.string(),
  receipt: oracleReceipt,
});

type RecordedBatch = z.infer<typeof recordedBatch>;

/** What the oracle answers when it is asked for its record of one sequence. */
export type OracleRecord =
  | { kind: 'taken'; batch: RecordedBatch }
  /** It says that it has none; so does an oracle that shows nothing at all. */
  | { kind: 'absent' }
  /** It cannot be asked now. */
  | { kind: 'away'; failure: TickFailure; detail: string }
  /** It answers something else than a record: it is no oracle that shows its record. */
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

/** Undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The address of the record of a sequence: beside those that are posted to ORACLE_URL, below it. */
export function recordUrl(oracleUrl: string, ...path: (number | string)[]): string {
  const url = new URL(oracleUrl);
  url.pathname = [url.pathname.replace(/\/+$/, ''), ...path].join('/');
  return url.href;
}
