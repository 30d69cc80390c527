import { type ZodTypeAny, z } from 'zod';
import type { RouteMetadata } from '../../contract/describe-route.js';
import { rateLimitHeaders, retryAfterHeader } from '../../contract/rate-limits.js';
import type { JsonSchema } from './json-schema.js';
import type { SchemaWriter } from './zod-schema.js';

export interface Header {
  description: string;
  required: boolean;
  schema: JsonSchema;
}

type HeaderName = string;
export type HeaderRefs = Record<HeaderName, { $ref: string }>;

const ownHeaders = {
  'X-Request-Id': z
    .string()
    .regex(/^[A-Za-z0-9._-]{8,64}$/)
    .describe("Names this request in the log. A caller's own X-Request-Id is kept if it has this form."),
  ETag: z
    .string()
    .regex(/^(W\/)?"[^"]+"$/)
    .describe('The version of this answer; send it back as If-None-Match to be told 304 while it holds.'),
  Vary: z.string().describe('What the answer depends on beside its address: `Accept-Encoding`.'),
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

/** Every header an answer may carry, as components; `Cache-Control` has two forms. */
export function headerComponents(writer: SchemaWriter): Record<string, Header> {
  const all: Record<string, ZodTypeAny> = {
    ...ownHeaders,
    ...cacheControl,
    ...rateLimitHeaders,
    ...retryAfterHeader,
  };
  return Object.fromEntries(
    Object.entries(all)
      .map(([name, schema]) => [componentName(name), toHeader(writer.write(schema))] as const)
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

/** The headers every answer of this operation with this status carries. */
export function headersOf(metadata: Pick<RouteMetadata, 'access' | 'cache'>, status: number): HeaderRefs {
  const cacheable = metadata.cache === 'etag' && (status === 200 || status === 304);
  const names = [
    'X-Request-Id',
    ...Object.keys(rateLimitHeaders),
    ...(cacheable ? ['ETag', 'Vary'] : []),
    ...(status === 201 ? ['Location'] : []),
    ...(status === 401 && metadata.access === 'internal' ? ['WWW-Authenticate'] : []),
    ...(status === 429 || status === 503 ? Object.keys(retryAfterHeader) : []),
  ];
  return {
    ...Object.fromEntries(names.map((name) => [name, ref(componentName(name))])),
    // An answer without a body has nothing to keep.
    ...(status === 204 ? {} : { 'Cache-Control': ref(cacheable ? 'CacheControl' : 'CacheControlNoStore') }),
  };
}
