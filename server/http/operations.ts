import { type RequestHandler, Router } from 'express';
import { ApiError } from '../errors.js';

const allow = 'GET, HEAD, OPTIONS';

/**
 * The paths that are for operators and readers: neither limited nor authenticated, read-only. Another method on one of
 * them is 405, as everywhere.
 */
export function createOperations(routers: readonly Router[]): Router {
  const all = Router({ caseSensitive: true, strict: true });
  all.use(['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'], readOnly);
  return all.use(...routers);
}

const readOnly: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') return next();
  res.setHeader('Allow', allow);
  if (req.method !== 'OPTIONS') throw new ApiError('METHOD_NOT_ALLOWED', `This path has ${allow}.`);
  res.status(204).end();
};
