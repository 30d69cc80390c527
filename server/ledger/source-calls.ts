import { parseJson } from '../../contract/anchor-documents/json.js';
import { createCallBudget } from '../outbound/call-limits.js';
import { type Outbound, OutboundError, type OutboundRequest } from '../outbound/outbound.js';
import type { Clock, Pause } from '../ports.js';
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

/** Calls one source of the ledger, within its budget. Never rejects for what the source does. */
export type CallSource = (
  request: Pick<OutboundRequest, 'url' | 'method' | 'body' | 'headers'>,
) => Promise<SourceAnswer>;

export interface SourceLimits {
  /** The time limit of one call as a whole. */
  timeoutMs: number;
  callsPerSecond: number;
}

/** A transaction's metadata, which RPC always sends along, may take some hundred KB. */
const maxBytes = 4 * 1_024 * 1_024;
const turnStepMs = 50;
const patienceMs = 2_000;

export function createSourceCalls(deps: {
  outbound: Outbound;
  clock: Clock;
  pause: Pause;
  limits: SourceLimits;
}): CallSource {
  const { outbound, clock, pause, limits } = deps;
  const budget = createCallBudget(clock);

  /** Waits until the budget has a call; false if that takes too long. */
  async function takeTurn(): Promise<boolean> {
    for (let waitedMs = 0; waitedMs <= patienceMs; waitedMs += turnStepMs) {
      if (budget.take(limits.callsPerSecond)) return true;
      await pause(turnStepMs);
    }
    return false;
  }

  async function ask(request: Parameters<CallSource>[0]): Promise<SourceAnswer> {
    try {
      const answer = await outbound({ ...request, timeoutMs: limits.timeoutMs, maxBytes });
      // A 4xx says something about the request, a 410 about the history. 429 and 5xx mean that there is no answer now.
      if (answer.status === 429 || answer.status >= 500) return { failed: `status ${answer.status}` };
      return { status: answer.status, json: parse(answer.body) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { failed: error.message };
    }
  }

  return async (request) => {
    if (!(await takeTurn())) return { failed: 'its budget of calls is used up' };
    return ask(request);
  };
}

/** Undefined where it is not JSON. */
function parse(body: Buffer): unknown {
  try {
    return parseJson(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
