import corsHeaders from 'cors';
import type { RequestHandler } from 'express';
import { ApiError } from '../errors.js';
import { allowHeader, type RouteEntry, type RouteTable } from './route-table.js';

/** Any origin, and no cookies. A preflight is told of the one method that it asks for. */
const setHeaders = corsHeaders((req, done) =>
  done(null, {
    origin: '*',
    methods: req.headers['access-control-request-method'] ?? '',
    allowedHeaders: ['Content-Type', 'If-None-Match', 'X-Request-Id'],
    exposedHeaders: [
      'Date',
      'ETag',
      'Location',
      'Retry-After',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-Request-Id',
    ],
    maxAge: 7_200,
    preflightContinue: true,
  }),
);

/** Sets CORS headers on open operations, and answers every OPTIONS before the limiter, so that none is counted. */
export function cors({ routes }: { routes: RouteTable }): RequestHandler {
  return (req, res, next) => {
    const methods = routes.find(req.path)?.methods;
    if (req.method !== 'OPTIONS') {
      // An unknown path or method has nothing to protect, so a page that mistyped it may read the error.
      const route = methods && routeOf(methods, req.method);
      const answering = route === undefined ? [...(methods?.values() ?? [])] : [route];
      if (answering.length === 0 || answering.some(isOpenToBrowsers)) setHeaders(req, res, next);
      else next();
      return;
    }
    if (methods === undefined) throw new ApiError('NOT_FOUND', 'Nothing is served at this path.');
    const wanted = routeOf(methods, req.get('access-control-request-method') ?? '');
    const answer = () => {
      res.setHeader('Allow', allowHeader(methods));
      res.status(204).end();
    };
    if (wanted !== undefined && isOpenToBrowsers(wanted)) setHeaders(req, res, answer);
    else answer();
  };
}

function routeOf(methods: ReadonlyMap<string, RouteEntry>, method: string): RouteEntry | undefined {
  return methods.get(method === 'HEAD' ? 'GET' : method);
}

/** Browsers may call operations that need no secret of the operator. */
function isOpenToBrowsers({ metadata }: RouteEntry): boolean {
  return metadata.access === 'public' || metadata.access === 'signed';
}
