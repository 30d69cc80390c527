import type { TickFailure } from '../../../contract/schemas/publisher.js';
import type { BatchHead } from '../../../contract/verification/verify-batch.js';
import {
  type OracleReceipt,
  oracleReceipt,
  receiptFault,
} from '../../../contract/verification/verify-receipt.js';

/** The result of one submission. */
export type OracleOutcome =
  | { receipt: OracleReceipt }
  | {
      failure: TickFailure;
      /** Whether a retry may succeed without intervention. */
      retryable: boolean;
      /** The delay that the oracle asked for, or 0. */
      waitMs: number;
      /** Text for the application log. */
      detail: string;
    };

/** The statuses below 500 that ask for a later retry. */
export const comeBackStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

const maxDetail = 200;

/** A summary of an answer for the application log. */
export function detailOf({ status, body }: { status: number; body: string }): string {
  return `${status} ${body.slice(0, maxDetail)}`;
}

/** Reads an HTTP answer of the oracle to a submission of the batch of this head. */
export function readOracleAnswer(
  answer: { status: number; headers: Readonly<Record<string, string>>; body: string },
  batch: BatchHead,
): OracleOutcome {
  const { status } = answer;
  const detail = detailOf(answer);
  const waitMs = retryAfterMs(answer.headers['retry-after']);
  if (status >= 200 && status < 300) return readReceipt(answer.body, batch);
  if (status >= 500 || comeBackStatuses.has(status)) {
    return { failure: 'oracle_error', retryable: true, waitMs, detail };
  }
  return { failure: 'oracle_refused', retryable: false, waitMs: 0, detail };
}

function readReceipt(body: string, batch: BatchHead): OracleOutcome {
  // A receipt for something else is not a refusal: if asked again, the oracle answers for the same header hash.
  const unread = { failure: 'oracle_receipt', retryable: true, waitMs: 0 } as const;
  let receipt: unknown;
  try {
    receipt = JSON.parse(body);
  } catch {
    return { ...unread, detail: 'the receipt is not JSON' };
  }
  const fault = receiptFault(receipt, batch);
  return fault === null ? { receipt: oracleReceipt.parse(receipt) } : { ...unread, detail: fault };
}

/** Whole seconds only; a date would need a clock that agrees with the oracle's. */
function retryAfterMs(header: string | undefined): number {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : 0;
}
