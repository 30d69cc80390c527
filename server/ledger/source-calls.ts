import pLimit from 'p-limit';
import { parseJson } from '../../contract/anchor-documents/json.js';
import { type Outbound, OutboundError, type OutboundRequest } from '../outbound/outbound.js';
import type { LedgerAnswer, UnknownWhy } from './ledger-transaction.rules.js';

/** One source of the ledger. */
export interface LedgerSourceClient {
  /** Asks it for a transaction of this hash that closed at `sinceMs` or later. */
  find(hash: string, sinceMs: number): Promise<LedgerAnswer>;
  /** Whether the source answers and, by its own account, is not behind. */
  isWell(): Promise<boolean>;
}

export function unknown(why: UnknownWhy, detail: string): LedgerAnswer {
  return { kind: 'unknown', why, detail };
}

/** The result of a call: the status and the JSON of the answer, or why there is none. */
export type SourceAnswer = { status: number; json: unknown } | { failed: string };

/** Calls one source of the ledger. Never rejects for what the source does. */
export type CallSource = (
  request: Pick<OutboundRequest, 'url' | 'method' | 'body' | 'headers'>,
) => Promise<SourceAnswer>;

/** A transaction's metadata, which RPC always sends along, may take some hundred KB. */
const maxBytes = 4 * 1_024 * 1_024;
/** Nodes of others bound how often they are asked. */
const callsAtOnce = 2;

/** `timeoutMs` is the time limit of one call as a whole. */
export function createSourceCalls(deps: { outbound: Outbound; timeoutMs: number }): CallSource {
  const { outbound, timeoutMs } = deps;
  const inTurn = pLimit(callsAtOnce);

  async function ask(request: Parameters<CallSource>[0]): Promise<SourceAnswer> {
    try {
      const answer = await outbound({ ...request, timeoutMs, maxBytes });
      // A 4xx says something about the request, a 410 about the history. 429 and 5xx mean that there is no answer now.
      if (answer.status === 429 || answer.status >= 500) return { failed: `status ${answer.status}` };
      return { status: answer.status, json: parse(answer.body) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { failed: error.message };
    }
  }

  return (request) => inTurn(() => ask(request));
}

/** Undefined where it is not JSON. */
function parse(body: Buffer): unknown {
  try {
    return parseJson(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
