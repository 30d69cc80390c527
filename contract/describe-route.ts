import type { Deprecation } from './deprecation.js';
import { type ErrorCode, type ErrorResponses, errorResponses } from './errors.js';
import type { RateLimitClassName } from './rate-limits.js';

/** Who may call: anyone, the holder of the admin key, the scheduler, the signer of the body, or an anchor. */
export type Access = 'public' | 'admin' | 'internal' | 'signed' | 'callback';

/** `etag`: cacheable, answered with ETag and Cache-Control; `no-store`: never kept by anyone. */
export type CachePolicy = 'etag' | 'no-store';

/** Forms of an answer beside JSON, for whoever asks for one by `Accept`. */
export type MediaType = 'text/csv' | 'application/x-ndjson';

/** Of an operation that answers with a stream of events (`text/event-stream`): its 200 schema is that of the data of each. */
export interface EventStream {
  /** The name of the events that carry the data. */
  event: string;
  /** What `Last-Event-ID` holds, and what is sent then. */
  lastEventId: string;
  /** Whether events named `problem` tell of errors after the start, with the body of the error as their data. */
  problems: boolean;
}

/**
 * Operations that an answer leads to, by their operationId, and what each takes from this exchange: by parameter, or by
 * member of the body as `body.nonce`, a runtime expression of OpenAPI such as `$response.body#/intentHash`.
 */
export type Links = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What a route says of itself beyond its schemas; the server, the client, the document and the tests all read it. */
export interface RouteMetadata {
  operationId: string;
  tag: string;
  access: Access;
  limit: RateLimitClassName;
  cache: CachePolicy;
  /** The other forms that its 200 has, with what each holds. Errors are always JSON. */
  alsoAs?: Readonly<Partial<Record<MediaType, string>>>;
  /** Absent on all but streams of events. */
  stream?: EventStream;
  /** Absent on all but routes that should no longer be used. */
  deprecated?: Deprecation;
  /** What can be done next with what a success answers. */
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

/** What any operation may answer whatever it does. */
const sharedCodes = ['INVALID_REQUEST', 'RATE_LIMITED', 'INTERNAL', 'NOT_READY'] as const;
/** What any operation that reads a body may answer besides. */
const bodyCodes = ['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;

type SharedCodes<M extends Method, A extends Access> =
  | (typeof sharedCodes)[number]
  | (A extends 'admin' | 'internal' ? 'UNAUTHORIZED' : never)
  | (M extends 'GET' | 'DELETE' ? never : (typeof bodyCodes)[number]);

type CodesOf<R extends RouteDescription> =
  | SharedCodes<R['method'], R['access']>
  | (R extends { errors: readonly (infer C extends ErrorCode)[] } ? C : never);

/** The ts-rest route made of a description. */
type Described<R extends RouteDescription> = Omit<R, keyof RouteMetadata | 'responses'> & {
  responses: R['responses'] & ErrorResponses<CodesOf<R>>;
  deprecated?: boolean;
  metadata: RouteMetadata;
};

/** The error codes that operations of this method and access have in common, whatever they do. */
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
    deprecated,
    leadsTo,
    errors = [],
    responses,
    ...route
  } = description;
  const codes = [...sharedErrorCodes(description.method, access), ...errors];
  return {
    ...route,
    ...(deprecated === undefined ? {} : { deprecated: true }),
    responses: { ...responses, ...errorResponses(codes) },
    metadata: {
      operationId,
      tag,
      access,
      limit,
      cache,
      ...(alsoAs === undefined ? {} : { alsoAs }),
      ...(stream === undefined ? {} : { stream }),
      ...(deprecated === undefined ? {} : { deprecated }),
      ...(leadsTo === undefined ? {} : { leadsTo }),
      errors: codes,
    },
  } as unknown as Described<R>;
}
