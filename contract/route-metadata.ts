import { type ErrorCode, type ErrorResponses, errorResponses } from './errors.js';
import type { RateLimitClassName } from './rate-limits.js';

/** Who may call: anyone, the X-Admin-Key holder, the cron bearer, or the signer of the body. */
export type Access = 'public' | 'admin' | 'internal' | 'signed' | 'callback';

/** `etag`: cacheable, answered with ETag and Cache-Control; `no-store`: never kept by anyone. */
export type CachePolicy = 'etag' | 'no-store';

/** What a route says of itself beyond its schemas; the server, the document and the tests all read it. */
export interface RouteMetadata {
  operationId: string;
  tag: string;
  access: Access;
  limit: RateLimitClassName;
  cache: CachePolicy;
  /** The codes this operation can answer, the shared ones included. */
  errors: readonly ErrorCode[];
  /** One real request and answer, shown in the document and checked against the schemas by a test. */
  example: {
    params?: Record<string, string>;
    query?: Record<string, unknown>;
    body?: unknown;
    answer: unknown;
  };
}

/** What any operation may answer whatever it does. */
const sharedCodes = ['INVALID_REQUEST', 'RATE_LIMITED', 'INTERNAL', 'NOT_READY'] as const;
/** What any operation that reads a body may answer besides. */
const bodyCodes = ['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;

type AccessCodes<A extends Access> = A extends 'admin' | 'internal' ? 'UNAUTHORIZED' : never;
type BodyCodes<M extends Method> = M extends 'GET' | 'DELETE' ? never : (typeof bodyCodes)[number];
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type AllCodes<M extends Method, A extends Access, C extends ErrorCode> =
  | (typeof sharedCodes)[number]
  | AccessCodes<A>
  | BodyCodes<M>
  | C;

/**
 * The parts of a ts-rest route that every operation has alike: strict status codes, the error responses of its
 * own codes and of the shared ones, and the metadata. Spread it first, then add path, schemas and `responses`
 * with `...shared.errors`.
 */
export function describeRoute<M extends Method, A extends Access, C extends ErrorCode = never>(
  route: Omit<RouteMetadata, 'errors' | 'access'> & { method: M; access: A; errors?: readonly C[] },
): {
  method: M;
  errors: ErrorResponses<AllCodes<M, A, C>>;
  metadata: RouteMetadata;
} {
  const codes = [
    ...sharedCodes,
    ...(route.access === 'admin' || route.access === 'internal' ? (['UNAUTHORIZED'] as const) : []),
    ...(route.method === 'GET' || route.method === 'DELETE' ? [] : bodyCodes),
    ...(route.errors ?? []),
  ] as AllCodes<M, A, C>[];
  const { method, ...rest } = route;
  return {
    method,
    errors: errorResponses(codes),
    metadata: { ...rest, errors: codes },
  };
}
