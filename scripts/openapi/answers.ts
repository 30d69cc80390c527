import { type ZodTypeAny, z } from 'zod';
import type { RouteMetadata } from '../../contract/describe-route.js';
import { errorGuidance } from '../../contract/error-guidance.js';
import { type ErrorCode, errorResponses, errorTable } from '../../contract/errors.js';
import { rateLimitHeaders, retryAfterHeader } from '../../contract/rate-limits.js';
import { mayGrow } from '../../contract/schemas/primitives.js';
import type { Operation } from './operations.js';
import { type Header, written } from './written.js';
import { pascalCase, type SchemaWriter } from './zod-schema.js';

/** By the name of the header. */
export type HeaderRefs = Record<string, { $ref: string }>;

const { 'Retry-After': retryAfter } = retryAfterHeader;

/** The headers of the contract, by the name of the component. `IfAny`: not every answer carries it. */
const headers: Readonly<Record<string, ZodTypeAny>> = {
  ...rateLimitHeaders,
  ...Object.fromEntries(
    Object.entries(rateLimitHeaders).map(([name, schema]) => [`${name}IfAny`, schema.optional()]),
  ),
  'Retry-After': retryAfter,
  RetryAfterIfWaitingHelps: retryAfter
    .describe('Whole seconds to wait before the next request; absent where waiting does not help.')
    .optional(),
};

const componentName = (header: string) => header.replaceAll(/[^A-Za-z0-9]/g, '');

/** Every header that an answer may carry, as a component. */
export function headerComponents(writer: SchemaWriter): Record<string, Header> {
  const ofContract = Object.entries(headers).map(([name, schema]): [string, Header] => {
    const { description = '', ...rest } = writer.write(schema);
    return [componentName(name), { description, required: !schema.isOptional(), schema: rest }];
  });
  return sortedByName([...Object.entries(written.headers), ...ofContract]);
}

export function sortedByName<T>(entries: Iterable<[string, T]>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const ref = (header: string) => ({ $ref: `#/components/headers/${componentName(header)}` });

/** The headers that answers of this operation with this status carry; `codes` are the errors it may be. */
export function headersOf(
  { access, cache }: Pick<RouteMetadata, 'access' | 'cache'>,
  status: number,
  codes: readonly ErrorCode[] = [],
): HeaderRefs {
  const cacheable = cache === 'etag' && (status === 200 || status === 304);
  const names = [
    'X-Request-Id',
    ...Object.keys(rateLimitHeaders),
    ...(cacheable ? ['ETag', 'Vary'] : []),
    ...(status === 201 ? ['Location'] : []),
    ...(status === 401 && access === 'internal' ? ['WWW-Authenticate'] : []),
  ];
  const mayLack = codes.some(
    (code) => 'extra' in errorTable[code] && errorTable[code].extra === 'unavailable',
  );
  return {
    ...Object.fromEntries(names.map((name) => [name, ref(name)])),
    ...(status === 429 || status === 503
      ? { 'Retry-After': ref(mayLack ? 'RetryAfterIfWaitingHelps' : 'Retry-After') }
      : {}),
    // An answer without a body has nothing to cache.
    ...(status === 204 ? {} : { 'Cache-Control': ref(cacheable ? 'CacheControl' : 'CacheControlNoStore') }),
  };
}

/** What the HTTP parser refuses is counted for nobody, so answers before an operation may lack the limit. */
const edgeHeaders: HeaderRefs = {
  'X-Request-Id': ref('X-Request-Id'),
  'Cache-Control': ref('CacheControlNoStore'),
  ...Object.fromEntries(
    [...Object.keys(rateLimitHeaders), 'Allow'].map((name) => [name, ref(`${name}IfAny`)]),
  ),
};

/** Errors answered before an operation is reached: no operation lists them, and any address may answer them. */
export const edgeCodes = [
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'URI_TOO_LONG',
  'HEADERS_TOO_LARGE',
] as const satisfies ErrorCode[];

const edgeError = z
  .object({
    code: mayGrow(z.enum(edgeCodes)).describe('What went wrong, for programs.'),
    message: z.string().describe('For people; programs read `code`.'),
  })
  .strict();

export interface Answer {
  description: string;
  headers?: HeaderRefs;
  content?: Record<string, object>;
  links?: Record<string, Link>;
}

/** An operation that can be called next, and what it takes from this exchange, as runtime expressions. */
export interface Link {
  operationId: string;
  parameters?: Record<string, string>;
  requestBody?: Record<string, string>;
}

export type ErrorAnswers = ReturnType<typeof createErrorAnswers>;

/** Error answers as shared components: one per set of codes, because most operations share the same sets. */
export function createErrorAnswers(writer: SchemaWriter) {
  const answers = new Map<string, Answer>();

  function add(
    name: string,
    schemaName: string,
    schema: ZodTypeAny,
    codes: readonly ErrorCode[],
    { headers, preface = '' }: { headers: HeaderRefs; preface?: string },
  ): { $ref: string } {
    const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleBody(code) }]));
    // docs/errors.md, as the service serves it, explains each code.
    const link = (code: ErrorCode) => `[\`${code}\`](/docs/errors.md#${code.toLowerCase()})`;
    const description = codes.map((code) => `${link(code)}: ${errorTable[code].when}`).join('\n\n');
    const content = { 'application/json': { schema: writer.define(schemaName, schema), examples } };
    answers.set(name, { description: `${preface}${description}`, headers, content });
    return { $ref: `#/components/responses/${name}` };
  }

  return {
    of({ metadata }: Operation, status: number, codes: readonly ErrorCode[]): { $ref: string } {
      // Built here rather than taken from the route, which may list the same codes in another order.
      const schema = (errorResponses(codes) as Readonly<Record<number, ZodTypeAny>>)[status] as ZodTypeAny;
      const name = codes.map(pascalCase).join('Or');
      const variant = status === 401 && metadata.access === 'internal' ? 'Bearer' : '';
      const headers = headersOf(metadata, status, codes);
      return add(`${name}${variant}`, `${name}Error`, schema, codes, { headers });
    },
    edge() {
      const preface = 'Refused before the operation was reached.\n\n';
      return add('EdgeError', 'EdgeError', edgeError, edgeCodes, { headers: edgeHeaders, preface });
    },
    components: () => sortedByName(answers),
  };
}

/** An answer of the service for this code, word for word. */
export function exampleBody(code: ErrorCode): object {
  return { code, ...errorGuidance[code].example };
}
