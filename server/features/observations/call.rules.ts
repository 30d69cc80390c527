import type { CallOutcome, ObservedService } from '../../../contract/schemas/observations.js';

/** One call to an anchor, as it ended. */
export interface Call {
  service: ObservedService;
  /** The corridor that a price was asked for. */
  corridor: string | null;
  outcome: CallOutcome;
  /** The status it answered with; null without an answer. */
  status: number | null;
  /** Null without an answer. */
  latencyMs: number | null;
}

/** What came back of a call. `json` is undefined for what is not JSON. */
export interface Received {
  status: number;
  text: string;
  json: unknown;
}

/** Asked for a pause: this says nothing of the anchor, and the rest of the round leaves this service alone. */
export const pausing = 429;

/** Whether a web page came where JSON belongs. With an old dialect refusals are pages, which break nothing. */
export function isNotJson({ status, text, json }: Received): boolean {
  if (status === 200) return json === undefined;
  return status >= 500 && text.trimStart().startsWith('<');
}

/**
 * How a call of JSON ended, but for what its answer means: a refusal with a status of 4xx is an answer. `missing` says
 * whether 404 means that what must be there is not.
 */
export function outcomeOf(received: Received, { missing }: { missing: boolean }): CallOutcome {
  const { status } = received;
  if (isNotJson(received)) return status === 200 ? 'not_json' : 'error';
  if (status === 200) return 'answered';
  if (status === 404 && missing) return 'error';
  return status >= 400 && status < 500 ? 'answered' : 'error';
}

/** A few words for people; nothing in them was written by the anchor. */
export function wordsOf({
  outcome,
  status,
  corridor,
}: Pick<Call, 'outcome' | 'status' | 'corridor'>): string {
  const where = corridor === null ? '' : ` in ${corridor}`;
  return outcome === 'error' && status !== null ? `answered ${status}${where}` : `${outcome}${where}`;
}
