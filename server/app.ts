import { createExpressEndpoints } from '@ts-rest/express';
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';
import type { RouteMetadata } from '../contract/describe-route.js';
import { contract } from '../contract/index.js';
import { rateLimitClasses } from '../contract/rate-limits.js';
import { ApiError } from './errors.js';
import { authenticate, type Secrets } from './http/authenticate.js';
import { type ClientKeyOf, windowKey } from './http/client-key.js';
import { cors } from './http/cors.js';
import { errorMapper } from './http/error-mapper.js';
import { jsonBody } from './http/json-body.js';
import { ambiguityOf, refusalOf } from './http/malformed-request.js';
import {
  clientLimitOf,
  createUnverifiedLimit,
  enforceLimit,
  type UnverifiedLimit,
} from './http/rate-limit.js';
import { type RequestRecord, requestId } from './http/request-log.js';
import type { ResponseCache } from './http/response-cache.js';
import { allowHeader, metadataOf, RouteTable } from './http/route-table.js';
import { sendJson } from './http/send-json.js';
import type { RateLimiter } from './limits/rate-limiter.js';
import type { Logger, NewId } from './ports.js';

/** Read-only paths for operators and readers, which have no rate limit, and the router that serves them. */
export interface Operations {
  /** Whether these operations serve a path; if so, no other operations are asked. */
  serves(path: string): boolean;
  router: Router;
}

/** The implementation of the whole contract: one router per feature, under the contract's keys. */
export type Routers = Parameters<typeof createExpressEndpoints<typeof contract>>[1];

export interface AppDeps {
  routers: Routers;
  operations: readonly Operations[];
  /** Undefined if there is no web page: then every client gets JSON for an unknown path. */
  answerUnknown: RequestHandler | undefined;
  limiter: RateLimiter;
  secrets: Secrets;
  clientKeyOf: ClientKeyOf;
  responseCache: Pick<ResponseCache, 'begin' | 'taken'>;
  /** Called after each operation of an operator that changed something. */
  raiseEpoch: () => Promise<void>;
  record: RequestRecord;
  logger: Logger;
  newId: NewId;
}

/** The middleware in order: id, log, operations, CORS; then per route limit, credential, body, validation, handler. */
export function createApp(deps: AppDeps): Express {
  const app = beginApp(deps);
  const routes = new RouteTable(contract);
  const unverified = createUnverifiedLimit(deps.limiter);

  app.use(cors({ routes }), refuseUnserved(deps, routes));
  createExpressEndpoints(contract, deps.routers, app, {
    logInitialization: false,
    globalMiddleware: [guard(deps, unverified), jsonBody],
    requestValidationErrorHandler: (error, _req, _res, next) => next(error),
  });
  app.use(unverified.countFailure, errorMapper(deps));
  return app;
}

type BaseDeps = Pick<AppDeps, 'operations' | 'record' | 'logger' | 'newId'>;

/** An app that serves only these operations, on a port of their own. It counts no requests: they are the operator's own. */
export function createOperationsApp(deps: BaseDeps): Express {
  const app = beginApp({ ...deps, responseCache: { begin: () => () => undefined } });
  app.use(() => {
    throw nothingServed();
  }, errorMapper(deps));
  return app;
}

function beginApp(deps: BaseDeps & { responseCache: Pick<ResponseCache, 'begin'> }): Express {
  const app = express();
  for (const setting of ['x-powered-by', 'etag']) app.disable(setting);
  for (const setting of ['case sensitive routing', 'strict routing']) app.enable(setting);
  app.set('query parser', 'simple');
  app.use(requestId(deps), commonHeaders, sendJson(deps.responseCache), deps.record.observe);
  app.use(operationalRoutes(deps.operations));
  return app;
}

/** Routes the operational paths. Methods other than GET, HEAD and OPTIONS get 405, as on every other path. */
function operationalRoutes(operations: readonly Operations[]): RequestHandler {
  const allow = 'GET, HEAD, OPTIONS';
  return (req, res, next) => {
    const operation = operations.find(({ serves }) => serves(req.path));
    if (operation === undefined) return next();
    const ambiguity = ambiguityOf(req);
    if (ambiguity !== undefined) throw ambiguity;
    if (req.method === 'GET' || req.method === 'HEAD') return operation.router(req, res, next);
    if (req.method !== 'OPTIONS') throw methodNotAllowed(res, allow);
    res.setHeader('Allow', allow);
    res.status(204).end();
  };
}

function nothingServed(): ApiError {
  return new ApiError('NOT_FOUND', 'Nothing is served at this path.');
}

/** Checks the limit, then the credential; the body comes last: a flood costs one update, a guess one comparison. */
function guard(deps: AppDeps, unverified: UnverifiedLimit): RequestHandler {
  return caught(async (req, res, next) => {
    const { tsRestRoute } = req as Request & { tsRestRoute: Parameters<typeof metadataOf>[0] };
    const metadata = metadataOf(tsRestRoute);
    const client = keyOf(deps, req);
    res.locals.clientKey = client;
    const rule = clientLimitOf(metadata);
    const key = windowKey(metadata.operationId, client);
    // The response cache has already taken the point of a request that it passed on.
    const take: RateLimiter['take'] = (...of) => deps.responseCache.taken(req) ?? deps.limiter.take(...of);
    if (metadata.access === 'callback') unverified.admit(res, rule, key);
    else await enforceLimit({ take }, res, rule, key);
    authenticate(metadata.access, req, res, deps.secrets);
    // A job may run longer than a connection may be silent. A connection without that limit serves no other request.
    if (metadata.access === 'internal') res.set('Connection', 'close').setTimeout(0);
    if (raisesEpoch(metadata, req.method)) raiseAfterSuccess(res, deps.raiseEpoch, next);
    next();
  });
}

/** Emptying the caches raises the epoch itself, since its answer has the number. */
function raisesEpoch({ access, operationId }: RouteMetadata, method: string): boolean {
  const isOperators = access === 'admin' || access === 'internal';
  return isOperators && method !== 'GET' && method !== 'HEAD' && operationId !== 'invalidateCache';
}

/** Raises the epoch before the answer is sent, so that its reader finds nothing older. */
function raiseAfterSuccess(res: Response, raise: () => Promise<void>, next: NextFunction): void {
  const json = res.json.bind(res);
  res.json = (body) => {
    if (res.statusCode >= 300) return json(body);
    raise()
      .then(() => json(body))
      .catch(next);
    return res;
  };
}

/**
 * Refuses malformed and ambiguous requests, and answers 404 to unknown paths and 405 with Allow to unknown methods of
 * known ones; all of them share one limit. It runs before the routes, so that `GET /api/reputation/dispute` does not ask
 * for an anchor called "dispute".
 */
function refuseUnserved(deps: AppDeps, routes: RouteTable): RequestHandler {
  return caught(async (req, res, next) => {
    const malformed = refusalOf(req);
    const found = routes.find(req.path);
    if (malformed === undefined && found?.methods.has(req.method === 'HEAD' ? 'GET' : req.method))
      return next();
    await enforceLimit(deps.limiter, res, rateLimitClasses.default, windowKey('unmatched', keyOf(deps, req)));
    if (malformed !== undefined) throw malformed;
    if (found === undefined) {
      const refuse = () => next(nothingServed());
      return deps.answerUnknown === undefined ? refuse() : deps.answerUnknown(req, res, refuse);
    }
    throw methodNotAllowed(res, allowHeader(found.methods));
  });
}

/** Passes errors of an asynchronous handler on, which Express 4 does not do. */
function caught(
  handle: (req: Request, res: Response, next: NextFunction) => Promise<unknown>,
): RequestHandler {
  return (req, res, next) => void handle(req, res, next).catch(next);
}

function keyOf(deps: AppDeps, req: Request): string {
  return deps.clientKeyOf(req.socket.remoteAddress, req.get('x-forwarded-for'));
}

const commonHeaders: RequestHandler = (_req, res, next) => {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};

function methodNotAllowed(res: Response, allow: string): ApiError {
  res.setHeader('Allow', allow);
  return new ApiError('METHOD_NOT_ALLOWED', `This path has ${allow}.`);
}
