import { parseJson } from '../../../contract/anchor-documents/json.js';
import type { CallOutcome, ObservedService } from '../../../contract/schemas/observations.js';
import { type Outbound, OutboundError, type OutboundFailure } from '../../outbound/outbound.js';
import type { Call, Received } from './observation.rules.js';

/** The time limit of a request for rates: a slower answer would not have reached the ranking. */
const timeoutMs = 2_000;
const headers = { accept: 'application/json, text/plain' };
/** The anchor asks for a pause: this says nothing about its health. */
const pausing = 429;

const outcomeOfFailure: Readonly<Record<OutboundFailure, CallOutcome>> = {
  invalid_url: 'blocked',
  blocked: 'blocked',
  timeout: 'timeout',
  too_large: 'malformed',
  unreachable: 'unreachable',
  bad_response: 'malformed',
};

/** What a call is about, and how its answer is judged. */
interface Question {
  service: ObservedService;
  corridor?: string;
  maxBytes: number;
  judge(received: Received): CallOutcome;
}

/** The calls to one anchor. They are made at the same time, so that an anchor that hangs takes one time limit. */
export function createCalls(outbound: Outbound) {
  const calls: Call[] = [];
  let made = 0;

  return {
    calls,
    made: () => made,
    /** Undefined without an answer, and if the anchor asks for a pause, which says nothing about it. */
    async ask(url: string, question: Question): Promise<Received | undefined> {
      const { service, corridor = null, maxBytes, judge } = question;
      made += 1;
      try {
        const { status, body, elapsedMs } = await outbound({ url, headers, timeoutMs, maxBytes });
        if (status === pausing) return undefined;
        const received = { status, body, json: parsed(body) };
        calls.push({ service, corridor, outcome: judge(received), latencyMs: elapsedMs });
        return received;
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        calls.push({ service, corridor, outcome: outcomeOfFailure[error.failure], latencyMs: null });
        return undefined;
      }
    },
  };
}

function parsed(body: Buffer): unknown {
  try {
    return parseJson(body.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
