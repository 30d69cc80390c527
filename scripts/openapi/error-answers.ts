import { type ZodTypeAny, z } from 'zod';
import { type ErrorCode, type ErrorDetail, errorResponses, errorTable } from '../../contract/errors.js';
import { type HeaderRefs, headersOf } from './headers.js';
import type { Operation } from './operations.js';
import { pascalCase } from './schema-names.js';
import type { SchemaWriter } from './zod-schema.js';

/** What is refused before an operation is reached: no operation lists these, any address may answer them. */
export const edgeCodes = [
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'URI_TOO_LONG',
  'HEADERS_TOO_LARGE',
] as const satisfies ErrorCode[];

const edgeError = z
  .object({
    code: z.enum(edgeCodes).describe('What went wrong, for programs.'),
    message: z.string().describe('For people; programs read `code`.'),
  })
  .strict();

export interface Answer {
  description: string;
  headers?: HeaderRefs;
  content?: Record<string, object>;
}

/** Error answers as shared components: one for each set of codes, since operations mostly have the same ones. */
export interface ErrorAnswers {
  of(operation: Operation, status: number, codes: readonly ErrorCode[]): { $ref: string };
  edge(): { $ref: string };
  components(): Record<string, Answer>;
}

export function createErrorAnswers(writer: SchemaWriter): ErrorAnswers {
  const answers = new Map<string, Answer>();

  function add(name: string, answer: Answer): { $ref: string } {
    answers.set(name, answer);
    return { $ref: `#/components/responses/${name}` };
  }

  function content(name: string, schema: ZodTypeAny, codes: readonly ErrorCode[]) {
    const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleBody(code) }]));
    return { 'application/json': { schema: writer.define(name, schema), examples } };
  }

  return {
    of({ route, metadata }, status, codes) {
      // Built anew rather than taken from the route, which may list the same codes in another order.
      const schema = (errorResponses(codes) as Readonly<Record<number, ZodTypeAny>>)[status];
      if (schema === undefined || !(route.responses[status] instanceof z.ZodType))
        throw new Error(`${metadata.operationId} lists ${codes.join(', ')} but answers no ${status}`);
      const name = codes.map(pascalCase).join('Or');
      const bearer = status === 401 && metadata.access === 'internal';
      return add(bearer ? `${name}Bearer` : name, {
        description: describe(codes),
        headers: headersOf(metadata, status),
        content: content(`${name}Error`, schema, codes),
      });
    },
    edge: () =>
      add('EdgeError', {
        description: `Refused before the operation was reached.\n\n${describe(edgeCodes)}`,
        content: content('EdgeError', edgeError, edgeCodes),
      }),
    components: () => Object.fromEntries([...answers].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function describe(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\`: ${errorTable[code].when}`).join('\n\n');
}

type WithDetails = {
  [C in ErrorCode]: (typeof errorTable)[C] extends { extra: 'details' } ? C : never;
}[ErrorCode];

const detailExamples: Record<WithDetails, ErrorDetail> = {
  INVALID_REQUEST: { path: 'query.limit', message: 'must be a whole number from 1 to 100' },
  UNSUPPORTED_PAIR: { path: 'body.corridor', message: 'is not served' },
  ANCHOR_MISMATCH: { path: 'body.anchorId', message: 'is not the anchor of the intent' },
  AMOUNT_OUT_OF_RANGE: { path: 'query.amount', message: 'must be between 10 and 10000' },
};

/** A body as the service would send it for this code. */
export function exampleBody(code: ErrorCode): Record<string, unknown> {
  const rule: { status: number; when: string; extra?: string } = errorTable[code];
  return {
    code,
    message: plain(rule.when),
    ...(hasDetails(code) ? { details: [detailExamples[code]] } : {}),
    ...(rule.extra === 'retryAfter' ? { retryAfter: 17 } : {}),
    ...(rule.extra === 'startedAt' ? { startedAt: '2026-11-21T09:30:00.000Z' } : {}),
  };
}

function hasDetails(code: ErrorCode): code is WithDetails {
  return Object.hasOwn(detailExamples, code);
}

function plain(text: string): string {
  return text.replaceAll('`', '');
}
