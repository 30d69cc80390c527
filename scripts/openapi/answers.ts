import { type ZodTypeAny, z } from 'zod';
import type { RouteMetadata } from '../../contract/describe-route.js';
import { errorGuidance } from '../../contract/error-guidance.js';
import { type ErrorCode, errorResponses, errorTable } from '../../contract/errors.js';
import { rateLimitHeaders, retryAfterHeader } from '../../contract/rate-limits.js';
import { mayGrow } from '../../contract/schemas/primitives.js';
import type { JsonSchema } from './json-schema.js';
import type { Operation } from './operations.js';
import { pascalCase, type SchemaWriter } from './zod-schema.js';

export interface Header {
  description: string;
  required: boolean;
  schema: JsonSchema;
}

/** By the name of the header. */
export type HeaderRefs = Record<string, { $ref: string }>;

const ownHeaders = {
  'X-Request-Id': z
    .string()
    .regex(/^[A-Za-z0-9._-]{8,64}$/)
    .describe("Names this request in the log. A caller's own X-Request-Id is kept if it has this form."),
  ETag: z
    .string()
    .regex(/^(W\/)?"[^"]+"$/)
    .describe('The version of this answer; send it back as If-None-Match to be told 304 while it holds.'),
  Vary: z
    .string()
    .describe(
      'What the answer depends on beside its address: `Accept-Encoding`, and `Accept` where it has several forms.',
    ),
  Location: z.string().min(1).describe('Where what was created can be read.'),
  'WWW-Authenticate': z
    .string()
    .regex(/^Bearer/)
    .describe('The scheme of the credential that is asked for.'),
} as const;

const cacheControl = {
  CacheControl: z
    .string()
    .regex(/^(private|public), max-age=\d+$/)
    .describe('How many seconds this answer stays fresh.'),
  CacheControlNoStore: z
    .string()
    .regex(/^no-store$/)
    .describe('Not to be kept by anyone.'),
} as const;

const optionalHeaders = {
  Allow: z.string().describe('On 405: the methods that the path has.'),
} as const;

/** The name of a component for a header that not every answer carries. */
const ifAny = (header: string) => `${componentName(header)}IfAny`;

/** Every header an answer may carry, as components; `Cache-Control` has two forms. */
export function headerComponents(writer: SchemaWriter): Record<string, Header> {
  const all: Record<string, ZodTypeAny> = {
    ...ownHeaders,
    ...cacheControl,
    ...rateLimitHeaders,
    ...retryAfterHeader,
  };
  const required = Object.entries(all).map(
    ([name, schema]) => [name, toHeader(writer.write(schema))] as const,
  );
  const mayLack = Object.entries({ ...rateLimitHeaders, ...optionalHeaders }).map(
    ([name, schema]) => [ifAny(name), { ...toHeader(writer.write(schema)), required: false }] as const,
  );
  const optional = {
    ...toHeader(writer.write(retryAfterHeader['Retry-After'])),
    description: 'Whole seconds to wait before the next request; absent where waiting does not help.',
    required: false,
  };
  return Object.fromEntries(
    [...required, ...mayLack, [optionalRetryAfter, optional] as const]
      .map(([name, header]) => [componentName(name), header] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function toHeader({ description = '', ...schema }: JsonSchema): Header {
  return { description, required: true, schema };
}

function componentName(header: string): string {
  return header.replaceAll(/[^A-Za-z0-9]/g, '');
}

function ref(component: string): { $ref: string } {
  return { $ref: `#/components/headers/${component}` };
}

/** The component of a Retry-After that an answer may lack. */
const optionalRetryAfter = 'RetryAfterIfWaitingHelps';

/** The headers that answers of this operation with this status carry; `codes` are the errors it may be. */
export function headersOf(
  metadata: Pick<RouteMetadata, 'access' | 'cache'>,
  status: number,
  codes: readonly ErrorCode[] = [],
): HeaderRefs {
  const cacheable = metadata.cache === 'etag' && (status === 200 || status === 304);
  const names = [
    'X-Request-Id',
    ...Object.keys(rateLimitHeaders),
    ...(cacheable ? ['ETag', 'Vary'] : []),
    ...(status === 201 ? ['Location'] : []),
    ...(status === 401 && metadata.access === 'internal' ? ['WWW-Authenticate'] : []),
  ];
  return {
    ...Object.fromEntries(names.map((name) => [name, ref(componentName(name))])),
    ...(status === 429 || status === 503 ? { 'Retry-After': ref(retryAfterComponent(codes)) } : {}),
    // An answer without a body has nothing to cache.
    ...(status === 204 ? {} : { 'Cache-Control': ref(cacheable ? 'CacheControl' : 'CacheControlNoStore') }),
  };
}

function retryAfterComponent(codes: readonly ErrorCode[]): string {
  const isOptional = codes.some((code) => extraOf(code) === 'unavailable');
  return componentName(isOptional ? optionalRetryAfter : 'Retry-After');
}

function extraOf(code: ErrorCode): string | undefined {
  const rule = errorTable[code];
  return 'extra' in rule ? rule.extra : undefined;
}

/** What the HTTP parser refuses is counted for nobody, so answers before an operation may lack the limit. */
const edgeHeaders: HeaderRefs = {
  'X-Request-Id': ref('XRequestId'),
  'Cache-Control': ref('CacheControlNoStore'),
  ...Object.fromEntries(
    [...Object.keys(rateLimitHeaders), ...Object.keys(optionalHeaders)].map((name) => [
      name,
      ref(ifAny(name)),
    ]),
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

/** Error answers as shared components: one per set of codes, because most operations share the same sets. */
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
      // Built here rather than taken from the route, which may list the same codes in another order.
      const schema = (errorResponses(codes) as Readonly<Record<number, ZodTypeAny>>)[status];
      if (schema === undefined || !(route.responses[status] instanceof z.ZodType))
        throw new Error(`${metadata.operationId} lists ${codes.join(', ')} but answers no ${status}`);
      const name = codes.map(pascalCase).join('Or');
      const variant = status === 401 && metadata.access === 'internal' ? 'Bearer' : '';
      return add(`${name}${variant}`, {
        description: describe(codes),
        headers: headersOf(metadata, status, codes),
        content: content(`${name}Error`, schema, codes),
      });
    },
    edge: () =>
      add('EdgeError', {
        description: `Refused before the operation was reached.\n\n${describe(edgeCodes)}`,
        headers: edgeHeaders,
        content: content('EdgeError', edgeError, edgeCodes),
      }),
    components: () => Object.fromEntries([...answers].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Where docs/errors.md, as the service serves it, explains a code. */
function pagePath(code: ErrorCode): string {
  return `/docs/errors.md#${code.toLowerCase()}`;
}

function describe(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `[\`${code}\`](${pagePath(code)}): ${errorTable[code].when}`).join('\n\n');
}

/** An answer of the service for this code, word for word. */
export function exampleBody(code: ErrorCode): object {
  return { code, ...errorGuidance[code].example };
}
