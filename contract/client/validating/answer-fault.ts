import type { AppRoute, AppRouter } from '@ts-rest/core';
import { type ZodIssue, type ZodTypeAny, z } from 'zod';
import { contract } from '../../contract.js';
import type { RouteMetadata } from '../../describe-route.js';
import { type ErrorCode, errorBody, errorTable } from '../../errors.js';
import type { Route } from '../route.js';
import type { AnswerFault } from '../transport.js';

const operations = new Map(
  Object.values(contract as AppRouter).flatMap((group) =>
    (Object.values(group) as AppRoute[]).map((route) => [
      (route.metadata as RouteMetadata).operationId,
      route,
    ]),
  ),
);

/**
 * The first difference of an answer from the contract; undefined if there is none. Additions of a later minor version are
 * no fault: an unknown member, or a new value of an enum, such as the name of a new event.
 */
export function answerFault(
  { operationId }: Route,
  status: number | null,
  body: unknown,
): AnswerFault | undefined {
  const schema =
    status === null || status >= 400
      ? errorSchema(status, body)
      : operations.get(operationId)?.responses[status];
  if (!(schema instanceof z.ZodType)) throw new Error(`${operationId} has no schema of its answer ${status}`);
  const issue = firstFault((schema as ZodTypeAny).safeParse(body).error?.issues ?? []);
  return issue && { path: ['body', ...issue.path].join('.'), message: issue.message };
}

/** The schema of the error's own code; for a code of a later version, what every error has. */
function errorSchema(status: number | null, body: unknown): z.ZodTypeAny {
  const { code } = body as { code: string };
  const known = Object.hasOwn(errorTable, code) ? (code as ErrorCode) : undefined;
  if (known === undefined) return z.object({ code: z.string(), message: z.string() });
  return status === null || status === errorTable[known].status ? errorBody(known) : z.never();
}

/** Whether it is another value of the same type, such as a window of 365 days beside those of 7, 30 and 90. */
function isOtherValue(expected: unknown, received: unknown): boolean {
  return typeof expected === typeof received && ['string', 'number'].includes(typeof received);
}

function firstFault(issues: readonly ZodIssue[]): ZodIssue | undefined {
  return issues.find((issue) => !isAddition(issue));
}

function isAddition(issue: ZodIssue): boolean {
  if (issue.code === 'unrecognized_keys') return true;
  if (issue.code === 'invalid_enum_value') return typeof issue.received === 'string';
  if (issue.code === 'invalid_literal') return isOtherValue(issue.expected, issue.received);
  // The mismatch of a union is an addition if one of its forms differs by nothing else.
  return (
    issue.code === 'invalid_union' && issue.unionErrors.some(({ issues }) => firstFault(issues) === undefined)
  );
}
