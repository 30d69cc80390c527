import { type ErrorCode, type ErrorResponses, errorResponses } from './errors.js';
import type { RateLimitClassName } from './rate-limits.js';

/** Who may call: anyone, the holder of the admin key, the scheduler, the signer of the body, or an anchor. */
export type Access = 'public' | 'admin' | 'internal' | 'signed' | 'callback';

/** `etag`: cacheable, answered with ETag and Cache-Control; `no-store`: never cached. */
type CachePolicy = 'etag' | 'no-store';

/** Media types of an answer beside JSON; the `Accept` header of a request selects one. */
export type MediaType = 'text/csv';

/** The event stream (`text/event-stream`) of an operation. The schema of its 200 is that of the data of each event. */
export interface EventStream {
  /** The name of the events that carry the data. */
  event: string;
  /** Whether events named `problem` report errors after the start, with the body of the error as their data. */
  problems: boolean;
}

/**
 * The operations that can be called next, by operationId. For each parameter, and each member of the body (`body.nonce`),
 * a runtime expression of OpenAPI, such as `$response.body#/intentHash`, says where in this exchange its value is.
 */
export type Links = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The properties of a route beyond its schemas; the server, the client, the document and the tests all read them. */
export interface RouteMetadata {
  operationId: string;
  tag: string;
  access: Access;
  limit: RateLimitClassName;
  cache: CachePolicy;
  /** The other media types of its 200, with a description of each. Errors are always JSON. */
  alsoAs?: Readonly<Partial<Record<MediaType, string>>>;
  /** Present on event streams only. */
  stream?: EventStream;
  /** The operations that can be called next with the values of a success. */
  leadsTo?: Links;
  /** The codes this operation can answer, the shared ones included. */
  errors: readonly ErrorCode[];
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A route as an endpoint file writes it: its metadata, its own error codes, and the parts of a ts-rest route. */
interface RouteDescription extends Omit<RouteMetadata, 'errors'> {
  method: Method;
  path: string;
  summary: string;
  description: string;
  /** Only the operation's own codes; the shared ones are added. */
  errors?: readonly ErrorCode[];
  /** Only the successes; the error statuses are added. */
  responses: object;
}

/** The error codes of every operation. */
const sharedCodes = ['INVALID_REQUEST', 'RATE_LIMITED', 'INTERNAL', 'NOT_READY'] as const;
/** The further error codes of every operation that reads a body. */
const bodyCodes = ['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;

type SharedCodes<M extends Method, A extends Access> =
  | (typeof sharedCodes)[number]
  | (A extends 'admin' | 'internal' ? 'UNAUTHORIZED' : never)
  | (M extends 'GET' | 'DELETE' ? never : (typeof bodyCodes)[number]);

type CodesOf<R extends RouteDescription> =
  | SharedCodes<R['method'], R['access']>
  | (R extends { errors: readonly (infer C extends ErrorCode)[] } ? C : never);

/** The ts-rest route made of a description. */
type Described<R extends RouteDescription> = Omit<
  R,
  keyof RouteMetadata | 'responses' | 'summary' | 'description'
> & {
  summary: string;
  description: string;
  responses: R['responses'] & ErrorResponses<CodesOf<R>>;
  metadata: RouteMetadata;
};

/** The error codes that all operations of this method and access have in common. */
export function sharedErrorCodes(method: string, access: Access): ErrorCode[] {
  return [
    ...sharedCodes,
    ...(access === 'admin' || access === 'internal' ? (['UNAUTHORIZED'] as const) : []),
    ...(method === 'GET' || method === 'DELETE' ? [] : bodyCodes),
  ];
}

/** A ts-rest route with its metadata, and with a response schema for every error it may answer. */
export function describeRoute<const R extends RouteDescription>(description: R): Described<R> {
  const {
    operationId,
    tag,
    access,
    limit,
    cache,
    alsoAs,
    stream,
    leadsTo,
    errors = [],
    responses,
    ...route
  } = description;
  const codes = [...sharedErrorCodes(description.method, access), ...errors];
  return {
    ...route,
    responses: { ...responses, ...errorResponses(codes) },
    metadata: {
      operationId,
      tag,
      access,
      limit,
      cache,
      ...(alsoAs === undefined ? {} : { alsoAs }),
      ...(stream === undefined ? {} : { stream }),
      ...(leadsTo === undefined ? {} : { leadsTo }),
      errors: codes,
    },
  } as unknown as Described<R>;
}
