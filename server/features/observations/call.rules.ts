import type { CallOutcome, ObservedService } from '../../../contract/schemas/observations.js';

/** One call to an anchor and its outcome. */
export interface Call {
  service: ObservedService;
  /** The corridor whose price was requested; null for other calls. */
  corridor: string | null;
  outcome: CallOutcome;
  /** The HTTP status; null without an answer. */
  status: number | null;
  /** Null without an answer. */
  latencyMs: number | null;
}

/** The response to a call. `json` is undefined if the body is not JSON. */
export interface Received {
  status: number;
  text: string;
  json: unknown;
}

/** The anchor asks for a pause: this says nothing about its health, and the service is not called again in this round. */
export const pausing = 429;

/** Whether the answer is not JSON though it must be. Older dialects refuse requests (4xx) with a web page; that is valid. */
export function isNotJson({ status, text, json }: Received): boolean {
  if (status === 200) return json === undefined;
  return status >= 500 && text.trimStart().startsWith('<');
}

/**
 * The outcome of a call that expects JSON, apart from the meaning of the answer: a refusal with a 4xx status is an answer.
 * `missing` says whether a 404 means that a required resource is missing.
 */
export function outcomeOf(received: Received, { missing }: { missing: boolean }): CallOutcome {
  const { status } = received;
  if (isNotJson(received)) return status === 200 ? 'not_json' : 'error';
  if (status === 200) return 'answered';
  if (status === 404 && missing) return 'error';
  return status >= 400 && status < 500 ? 'answered' : 'error';
}

/** A short description for people; it contains no text written by the anchor. */
export function describeCall({
  outcome,
  status,
  corridor,
}: Pick<Call, 'outcome' | 'status' | 'corridor'>): string {
  const where = corridor === null ? '' : ` in ${corridor}`;
  return outcome === 'error' && status !== null ? `answered ${status}${where}` : `${outcome}${where}`;
}
