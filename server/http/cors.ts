import type { RequestHandler, Response } from 'express';
import type { Access } from '../../contract/describe-route.js';
import { ApiError } from '../errors.js';
import { allowHeader, type RouteTable } from './route-table.js';

const exposed = [
  'Date',
  'ETag',
  'Location',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ');

/** Browsers may call operations that need no secret of the operator; cookies are never allowed. */
function isOpenToBrowsers(access: Access): boolean {
  return access === 'public' || access === 'signed';
}

/** Sets CORS headers on open operations, and answers every OPTIONS before the limiter, so that none is counted. */
export function cors(deps: { routes: RouteTable }): RequestHandler {
  return (req, res, next) => {
    const found = deps.routes.find(req.path);
    if (req.method === 'OPTIONS') {
      if (found === undefined) throw new ApiError('NOT_FOUND', 'Nothing is served at this path.');
      const wanted = req.get('access-control-request-method') ?? '';
      const open = found.methods.get(wanted === 'HEAD' ? 'GET' : wanted);
      res.setHeader('Allow', allowHeader(found.methods));
      if (open !== undefined && isOpenToBrowsers(open.metadata.access)) allowPreflight(res, wanted);
      res.status(204).end();
      return;
    }
    const route = found?.methods.get(req.method === 'HEAD' ? 'GET' : req.method);
    // An unknown path or method has nothing to protect, so a page that mistyped it may read the error.
    if (
      route === undefined
        ? found === undefined || anyOpen(found.methods)
        : isOpenToBrowsers(route.metadata.access)
    ) {
      res.setHeader('Access-Control-Allow-Origin', '*');
      res.setHeader('Access-Control-Expose-Headers', exposed);
    }
    next();
  };
}

function anyOpen(methods: ReadonlyMap<string, { metadata: { access: Access } }>): boolean {
  return [...methods.values()].some((route) => isOpenToBrowsers(route.metadata.access));
}

function allowPreflight(res: Response, method: string): void {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Access-Control-Allow-Methods', method);
  res.setHeader('Access-Control-Allow-Headers', 'Content-Type, If-None-Match, X-Request-Id');
  res.setHeader('Access-Control-Max-Age', '7200');
}
