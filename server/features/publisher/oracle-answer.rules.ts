import { z } from 'zod';
import type { TickFailure } from '../../../contract/schemas/publisher.js';
import { type BatchHead, batchHeader } from '../../../contract/verification/verify-batch.js';
import {
  type OracleReceipt,
  oracleReceipt,
  receiptFault,
} from '../../../contract/verification/verify-receipt.js';

/** What came of one request to the oracle, in place of what was asked for. */
export interface OracleFailure {
  failure: TickFailure;
  /** Whether a retry may succeed without intervention. */
  retryable: boolean;
  /** The delay that the oracle asked for, or 0. */
  waitMs: number;
  /** Text for the application log. */
  detail: string;
}

export type OracleOutcome = { receipt: OracleReceipt } | OracleFailure;

/** The last batch that the oracle took, null before the first; `silent` is an oracle that does not show it. */
export type OracleHead = { head: BatchHead | null } | { silent: true } | OracleFailure;

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** A batch as the oracle shows it; callers must verify it. */
const recordedBatch = z.object({ header: batchHeader, signature: z.string(), receipt: oracleReceipt });
const headAnswer = z.object({ head: recordedBatch.nullable() });
const entriesAnswer = z.object({ entries: z.array(z.object({}).passthrough()) });

export type RecordedBatch = z.infer<typeof recordedBatch>;

/** The statuses below 500 that ask for a later retry. */
const comeBackStatuses: ReadonlySet<number> = new Set([408, 425, 429]);
/** The statuses of an oracle that has no such endpoint. */
const silentStatuses: ReadonlySet<number> = new Set([404, 405, 501]);
const maxDetail = 200;

function failureOf({ status, headers, body }: Answer): OracleFailure {
  const detail = `${status} ${body.slice(0, maxDetail)}`;
  if (status >= 500 || comeBackStatuses.has(status)) {
    return { failure: 'oracle_error', retryable: true, waitMs: retryAfterMs(headers['retry-after']), detail };
  }
  return { failure: 'oracle_refused', retryable: false, waitMs: 0, detail };
}

/** Reads the answer to the submission of the batch of this head. */
export function readOracleAnswer(answer: Answer, batch: BatchHead): OracleOutcome {
  if (answer.status < 200 || answer.status >= 300) return failureOf(answer);
  // A receipt for something else is not a refusal: if asked again, the oracle answers for the same header hash.
  const unread = { failure: 'oracle_receipt', retryable: true, waitMs: 0 } as const;
  const receipt = parseJson(answer.body);
  if (receipt === undefined) return { ...unread, detail: 'the receipt is not JSON' };
  const fault = receiptFault(receipt, batch);
  return fault === null ? { receipt: oracleReceipt.parse(receipt) } : { ...unread, detail: fault };
}

/** Reads the answer to GET ORACLE_URL/head. */
export function readOracleHead(answer: Answer): OracleHead {
  if (silentStatuses.has(answer.status)) return { silent: true };
  if (answer.status !== 200) return { ...failureOf(answer), failure: 'oracle_error' };
  const read = headAnswer.safeParse(parseJson(answer.body));
  const head = read.data?.head;
  if (head === null) return { head };
  const named = head && { sequence: head.header.sequence, headerHash: head.receipt.headerHash };
  if (named !== undefined && receiptFault(head?.receipt, named) === null) return { head: named };
  return { failure: 'oracle_error', retryable: false, waitMs: 0, detail: 'the head cannot be read' };
}

/** Why the log that ends with `own` must not be continued, in words for the log; null if the oracle has nothing else. */
export function whatTheLogLacks(own: BatchHead | null, oracle: BatchHead | null): string | null {
  if (oracle === null || oracle.sequence < (own?.sequence ?? 0)) return null;
  if (oracle.sequence > (own?.sequence ?? 0)) return `the oracle has batch ${oracle.sequence} already`;
  return oracle.headerHash === own?.headerHash ? null : `the oracle has another batch ${oracle.sequence}`;
}

/** Reads the answer to GET ORACLE_URL/{sequence}; null where it is no batch. */
export function readOracleBatch({ status, body }: Answer): RecordedBatch | null {
  return (status === 200 ? recordedBatch.safeParse(parseJson(body)).data : undefined) ?? null;
}

/** Reads the answer to GET ORACLE_URL/{sequence}/entries; null where it shows none. */
export function readOracleEntries({ status, body }: Answer): object[] | null {
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

/** Whole seconds only; a date would need a clock that agrees with the oracle's. */
function retryAfterMs(header: string | undefined): number {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : 0;
}
