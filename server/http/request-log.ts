import type { RequestHandler } from 'express';
import type { Logger } from '../ports.js';

const maxPathLength = 200;

/** One line a request, after its answer: never headers, query values or bodies, where secrets travel. */
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
          // Who broke off before the answer was given none.
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
