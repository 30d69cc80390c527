import type { CallOutcome, ObservedService } from '../../../contract/schemas/observations.js';
import { type Outbound, OutboundError, type OutboundFailure } from '../../outbound/outbound.js';
import type { Clock } from '../../ports.js';
import { type Call, isNotJson, outcomeOf, pausing, type Received } from './call.rules.js';

const callTimeoutMs = 5_000;
/** Limit for all calls of one round to one anchor together. */
const anchorTimeoutMs = 20_000;

const outcomeOfFailure: Readonly<Record<OutboundFailure, CallOutcome>> = {
  invalid_url: 'blocked',
  blocked: 'blocked',
  timeout: 'timeout',
  too_large: 'malformed',
  unreachable: 'unreachable',
  bad_response: 'malformed',
};

export interface Asking {
  service: ObservedService;
  corridor?: string;
  url: string;
  maxBytes: number;
  /** Determines the outcome from the content. Default: JSON, or a refusal (4xx) other than 404, counts as an answer. */
  judge?: (received: Received, body: Buffer) => CallOutcome;
}

/** The calls of one round to one anchor, one after the other. */
export interface Look {
  /** Returns a valid answer with status 200, else undefined. A service that failed in this round is not called again. */
  ask(asking: Asking): Promise<{ json: unknown; body: Buffer } | undefined>;
  /** How the last call to the service failed, if the service must not be called again in this round. */
  broken(service: ObservedService): CallOutcome | 'paused' | undefined;
  /** The calls that say something about the anchor: all except those answered with 429. */
  calls: readonly Call[];
  /** The number of calls made, including those answered with 429. */
  made(): number;
  notJson: ReadonlySet<ObservedService>;
}

/**
 * A service that times out, cannot be reached or asks for a pause is not called again in the round, so an anchor that hangs
 * costs one timeout and one call per service.
 */
export function createLook(deps: { outbound: Outbound; clock: Clock; mostCalls: number }): Look {
  const { outbound, clock, mostCalls } = deps;
  const endsAt = clock() + anchorTimeoutMs;
  const calls: Call[] = [];
  const notJson = new Set<ObservedService>();
  const broken = new Map<ObservedService, CallOutcome | 'paused'>();
  let made = 0;

  async function receive({ url, maxBytes }: Asking) {
    try {
      const answer = await outbound({
        url,
        headers: { accept: 'application/json, text/plain' },
        timeoutMs: callTimeoutMs,
        maxBytes,
      });
      return { answer };
    } catch (error) {
      if (error instanceof OutboundError) return { failed: outcomeOfFailure[error.failure] };
      throw error;
    }
  }

  return {
    calls,
    made: () => made,
    notJson,
    broken: (service) => broken.get(service),
    async ask(asking) {
      const { service, corridor = null, judge } = asking;
      // A call starts only if its whole timeout is left: it must not fail because earlier calls were slow.
      const isLate = clock() + callTimeoutMs > endsAt;
      if (broken.has(service) || isLate || made >= mostCalls) return undefined;
      made += 1;
      const { answer, failed } = await receive(asking);
      if (answer === undefined) {
        calls.push({ service, corridor, outcome: failed, status: null, latencyMs: null });
        if (failed !== 'malformed') broken.set(service, failed);
        return undefined;
      }
      const { status, body, elapsedMs } = answer;
      if (status === pausing) {
        broken.set(service, 'paused');
        return undefined;
      }
      const text = body.toString('utf8', 0, 500);
      const json = parsed(body);
      const received = { status, text, json };
      const outcome = judge?.(received, body) ?? outcomeOf(received, { missing: true });
      calls.push({ service, corridor, outcome, status, latencyMs: elapsedMs });
      if (service !== 'sep1' && isNotJson(received)) notJson.add(service);
      return status === 200 && outcome === 'answered' ? { json, body } : undefined;
    },
  };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
