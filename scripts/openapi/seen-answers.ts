import { sharedErrorCodes } from '../../contract/describe-route.js';
import { errorGuidance } from '../../contract/error-guidance.js';
import type { ErrorCode } from '../../contract/errors.js';
import { codesByStatus, type Operation } from './operations.js';

export interface SeenAnswer {
  operationId: string;
  status: number;
}

/** An error as the service worded it. */
export interface SeenError {
  code: string;
  message: string;
}

/** Refused by the HTTP parser: the tests of them compare with the examples themselves. */
const ofTheParser: readonly ErrorCode[] = ['REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE'];

/** The codes whose example in contract/error-guidance.ts no test has seen, numbers apart. */
export function unseenExamples(seen: readonly SeenError[]): string[] {
  const words = new Set(seen.map(({ code, message }) => `${code}: ${withoutNumbers(message)}`));
  return Object.entries(errorGuidance)
    .filter(([code]) => !ofTheParser.some((one) => one === code))
    .map(([code, { example }]) => `${code}: ${withoutNumbers(example.message)}`)
    .filter((line) => !words.has(line));
}

function withoutNumbers(text: string): string {
  return text.replaceAll(/\d+/g, '#');
}

/**
 * The (operation, status) pairs that the document lists and no test has seen, one line each. A status that one piece
 * of code answers for every operation of a kind needs to be seen only once.
 */
export function unseenAnswers(
  listed: readonly { operation: Operation; statuses: readonly number[] }[],
  seen: readonly SeenAnswer[],
): string[] {
  const seenPairs = new Set(seen.map(({ operationId, status }) => `${operationId} ${status}`));
  const shared = new Map<string, boolean>();
  const unseen: string[] = [];
  for (const { operation, statuses } of listed) {
    for (const status of statuses) {
      const pair = `${operation.metadata.operationId} ${status}`;
      const group = sharedGroup(operation, status);
      if (group !== undefined) shared.set(group, shared.get(group) === true || seenPairs.has(pair));
      else if (!seenPairs.has(pair)) unseen.push(pair);
    }
  }
  const unseenShared = [...shared].flatMap(([group, wasSeen]) =>
    wasSeen ? [] : [`any operation: ${group}`],
  );
  return [...unseenShared, ...unseen];
}

/** The group of operations that share this status; undefined if the operation has its own codes there. */
function sharedGroup({ route, metadata }: Operation, status: number): string | undefined {
  if (status === 304) return '304';
  const codes = codesByStatus(metadata.errors).get(status)?.join(' ');
  const kind = sharedErrorCodes(route.method, metadata.access);
  if (codes === undefined || codesByStatus(kind).get(status)?.join(' ') !== codes) return undefined;
  return status === 401 ? `${status} ${codes} (${metadata.access})` : `${status} ${codes}`;
}
