import { type Outbound, OutboundError, type OutboundRequest } from '../outbound/outbound.js';
import type { Clock, Pause } from '../ports.js';
import { admitCall, afterAnswer, afterNoAnswer, freshGate } from './source-gate.rules.js';

/** The result of a call: the status and the JSON of the answer, or why there is none. */
export type SourceAnswer = { status: number; json: unknown } | { failed: string };

/** Calls one source of the ledger, within its budget and its circuit breaker. Never rejects for what the source does. */
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
  let state = freshGate;

  /** True once the call may be made; otherwise, why it may not be made now. */
  async function takeTurn(): Promise<true | string> {
    for (let waitedMs = 0; waitedMs <= patienceMs; waitedMs += turnStepMs) {
      const admitted = admitCall(state, clock(), limits.callsPerSecond);
      state = admitted.state;
      if (admitted.admits === 'go') return true;
      if (admitted.admits === 'open') return 'it failed too often lately';
      await pause(turnStepMs);
    }
    return 'its budget of calls is used up';
  }

  return async (request) => {
    const turn = await takeTurn();
    if (turn !== true) return { failed: turn };
    try {
      const answer = await outbound({ ...request, timeoutMs: limits.timeoutMs, maxBytes });
      // A 4xx says something about the request, a 410 about the history. 429 and 5xx mean that there is no answer now.
      if (answer.status === 429 || answer.status >= 500) {
        state = afterNoAnswer(state, clock());
        return { failed: `status ${answer.status}` };
      }
      state = afterAnswer(state);
      return { status: answer.status, json: parse(answer.body) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      state = afterNoAnswer(state, clock());
      return { failed: error.message };
    }
  };
}

/** Undefined where it is not JSON. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
