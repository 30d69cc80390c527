import { z } from 'zod';
import type { TickFailure } from '../../../contract/schemas/publisher.js';
import { type BatchHead, batchHeader } from '../../../contract/verification/verify-batch.js';
import {
  type OracleReceipt,
  oracleReceipt,
  receiptFault,
} from '../../../contract/verification/verify-receipt.js';

/** What came of one request to the oracle, in place of what was asked for; `detail` is text for the application log. */
export interface OracleFailure {
  failure: TickFailure;
  detail: string;
}

/** The last batch that the oracle took, null before the first; `silent` is an oracle that does not show it. */
export type OracleHead = { head: BatchHead | null } | { silent: true } | OracleFailure;

export interface OracleAnswer {
  status: number;
  body: string;
}

/** A batch as the oracle shows it; callers must verify it. */
const recordedBatch = z.object({ header: batchHeader, signature: z.string(), receipt: oracleReceipt });
const headAnswer = z.object({ head: recordedBatch.nullable() });
const entriesAnswer = z.object({ entries: z.array(z.object({}).passthrough()) });

/** The statuses below 500 that ask for a later try. */
const comeBackStatuses: ReadonlySet<number> = new Set([408, 425, 429]);
/** The statuses of an oracle that has no such endpoint. */
const silentStatuses: ReadonlySet<number> = new Set([404, 405, 501]);
const maxDetail = 200;

/** Reads the answer to the submission of the batch of this head. */
export function readOracleAnswer(
  answer: OracleAnswer,
  batch: BatchHead,
): { receipt: OracleReceipt } | OracleFailure {
  const { status } = answer;
  if (status < 200 || status >= 300) {
    const isAnError = status >= 500 || comeBackStatuses.has(status);
    return { failure: isAnError ? 'oracle_error' : 'oracle_refused', detail: detailOf(answer) };
  }
  const receipt = parseJson(answer.body);
  const fault = receipt === undefined ? 'the receipt is not JSON' : receiptFault(receipt, batch);
  return fault === null
    ? { receipt: oracleReceipt.parse(receipt) }
    : { failure: 'oracle_receipt', detail: fault };
}

/** Reads the answer to GET ORACLE_URL/head. */
export function readOracleHead(answer: OracleAnswer): OracleHead {
  if (silentStatuses.has(answer.status)) return { silent: true };
  const read = answer.status === 200 ? headAnswer.safeParse(parseJson(answer.body)).data : undefined;
  if (read?.head === null) return { head: null };
  const named = read && { sequence: read.head.header.sequence, headerHash: read.head.receipt.headerHash };
  if (named !== undefined && receiptFault(read?.head?.receipt, named) === null) return { head: named };
  return { failure: 'oracle_error', detail: detailOf(answer) };
}

/** Reads the answer to GET ORACLE_URL/{sequence}; null where it is no batch. */
export function readOracleBatch({ status, body }: OracleAnswer): z.infer<typeof recordedBatch> | null {
  return (status === 200 ? recordedBatch.safeParse(parseJson(body)).data : undefined) ?? null;
}

/** Reads the answer to GET ORACLE_URL/{sequence}/entries; null where it shows none. */
export function readOracleEntries({ status, body }: OracleAnswer): object[] | null {
  return (status === 200 ? entriesAnswer.safeParse(parseJson(body)).data?.entries : undefined) ?? null;
}

/** A path below ORACLE_URL, to which batches are posted. */
export function belowOracle(oracleUrl: string, ...path: (number | string)[]): string {
  const url = new URL(oracleUrl);
  url.pathname = [url.pathname.replace(/\/+$/, ''), ...path].join('/');
  return url.href;
}

/** Undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why the log that ends with `own` must not be continued, in words for the log; null if the oracle has nothing else. */
export function whatTheLogLacks(own: BatchHead | null, oracle: BatchHead | null): string | null {
  if (oracle === null || oracle.sequence < (own?.sequence ?? 0)) return null;
  if (oracle.sequence > (own?.sequence ?? 0)) return `the oracle has batch ${oracle.sequence} already`;
  return oracle.headerHash === own?.headerHash ? null : `the oracle has another batch ${oracle.sequence}`;
}

function detailOf({ status, body }: OracleAnswer): string {
  return `${status} ${body.slice(0, maxDetail)}`;
}
