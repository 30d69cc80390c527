import type { RequestHandler, Response } from 'express';
import type { Logger, NewId } from '../ports.js';

const maxPathLength = 200;
const sampledMs = 1_000;
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

/**
 * Logs one line per request, after its answer; never headers, query values or bodies, which carry secrets. What a
 * stranger can repeat at will is sampled, so that nobody fills the disk with it.
 */
export function requestLog(deps: { logger: Logger }): RequestHandler {
  const sample = createSampler(deps.logger);
  return (req, res, next) => {
    const startedAt = process.hrtime.bigint();
    const path = req.path.slice(0, maxPathLength);
    res.once('close', () => {
      // A client that broke off before the answer was given no status.
      const status = res.headersSent ? res.statusCode : null;
      if (isRepeatable(status, res) && !sample(req.route?.path ?? 'unmatched', status)) return;
      deps.logger.info(
        {
          requestId: res.locals.requestId,
          method: req.method.slice(0, 16),
          path,
          status,
          aborted: !res.writableFinished,
          durationMs: Number(process.hrtime.bigint() - startedAt) / 1e6,
        },
        'request',
      );
    });
    next();
  };
}

/** A refusal, a request that was broken off, and whatever is answered without a limit per client. */
function isRepeatable(status: number | null, res: Response): boolean {
  const limited = res.locals.clientKey !== undefined;
  return status === null || (status >= 400 && status < 500) || !limited;
}

/**
 * Lets the first of each route and status pass in a second. At the end of the second, one line counts the others. Both
 * are words of the service, so what is remembered is bounded.
 */
function createSampler(logger: Logger): (route: string, status: number | null) => boolean {
  const leftOut = new Map<string, { route: string; status: number | null; requests: number }>();
  function endSecond(): void {
    const counts = [...leftOut.values()].filter(({ requests }) => requests > 0);
    leftOut.clear();
    if (counts.length > 0) logger.info({ leftOut: counts }, 'requests left out of the log');
  }
  return (route, status) => {
    if (leftOut.size === 0) setTimeout(endSecond, sampledMs).unref();
    const key = `${route} ${status}`;
    const counted = leftOut.get(key);
    if (counted !== undefined) counted.requests += 1;
    else leftOut.set(key, { route, status, requests: 0 });
    return counted === undefined;
  };
}
