import type { RequestHandler } from 'express';
import type { Logger, NewId } from '../ports.js';

const maxPathLength = 200;
const acceptableId = /^[A-Za-z0-9._-]{8,64}$/;

/** Gives every answer an X-Request-Id. The one a client sent is kept if it has 8 to 64 harmless characters. */
export function requestId(deps: { newId: NewId }): RequestHandler {
  return (req, res, next) => {
    const given = req.get('x-request-id');
    const id = given !== undefined && acceptableId.test(given) ? given : deps.newId();
    res.locals.requestId = id;
    res.setHeader('X-Request-Id', id);
    next();
  };
}

/** Logs one line per request, after its answer; never headers, query values or bodies, which carry secrets. */
export function requestLog(deps: { logger: Logger }): RequestHandler {
  return (req, res, next) => {
    const startedAt = process.hrtime.bigint();
    const path = req.path.slice(0, maxPathLength);
    res.once('close', () => {
      deps.logger.info(
        {
          requestId: res.locals.requestId,
          method: req.method.slice(0, 16),
          path,
          // A client that broke off before the answer was given no status.
          status: res.headersSent ? res.statusCode : null,
          aborted: !res.writableFinished,
          durationMs: Number(process.hrtime.bigint() - startedAt) / 1e6,
        },
        'request',
      );
    });
    next();
  };
}
