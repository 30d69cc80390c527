import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler, Response } from 'express';
import type { Logger, NewId } from '../ports.js';

const maxPathLength = 200;
const sampledMs = 1_000;
/** The client chooses the method: the metrics have one name for all others, so that there are few. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);
const acceptableId = /^[A-Za-z0-9._-]{8,64}$/;

/** The id that a request brings if it has 8 to 64 harmless characters, or else a new one. */
export function idOf(given: string | undefined, newId: NewId): string {
  return given !== undefined && acceptableId.test(given) ? given : newId();
}

/** Gives every answer an X-Request-Id. */
export function requestId(deps: { newId: NewId }): RequestHandler {
  return (req, res, next) => {
    const id = idOf(req.get('x-request-id'), deps.newId);
    res.locals.requestId = id;
    res.setHeader('X-Request-Id', id);
    next();
  };
}

export type RequestRecord = ReturnType<typeof createRequestRecord>;

/** The duration of each request, by labels that the service defines, so that they are few. */
export type RequestMeter = (
  labels: { method: string; route: string; status: string },
  seconds: number,
) => void;

/**
 * Counts every request and logs one line for it; never headers, query values or bodies, which carry secrets. Requests
 * that a stranger can repeat at will are sampled, so that nobody can fill the disk with log lines.
 */
export function createRequestRecord({ logger, meter }: { logger: Logger; meter: RequestMeter }) {
  const takes = createSampler(logger);

  function log(
    { method = '' }: IncomingMessage,
    res: ServerResponse,
    { requestId, path, startedAt }: { requestId: string; path: string; startedAt: number },
  ): void {
    logger.info(
      {
        requestId,
        method: method.slice(0, 16),
        path: path.slice(0, maxPathLength),
        // A client that broke off before the answer was given no status.
        status: res.headersSent ? res.statusCode : null,
        aborted: !res.writableFinished,
        durationMs: performance.now() - startedAt,
      },
      'request',
    );
  }

  /** Counts and logs a request after its answer, in the handlers of Express. */
  const observe: RequestHandler = (req, res, next) => {
    const startedAt = performance.now();
    const { path } = req;
    res.once('close', () => {
      const status = res.headersSent ? res.statusCode : null;
      const route = req.route?.path ?? 'unmatched';
      // A stream goes on long after it was answered.
      const answeredAt: number = res.locals.answeredAt ?? performance.now();
      const method = knownMethods.has(req.method) ? req.method : 'OTHER';
      meter({ method, route, status: String(status ?? 'none') }, (answeredAt - startedAt) / 1_000);
      if (isRepeatable(status, res) && !takes(route, status)) return;
      log(req, res, { requestId: res.locals.requestId, path, startedAt });
    });
    next();
  };

  return {
    observe,
    /** The same for an answer of the response cache, when it was handed to the socket. `startedAt` is of `performance.now()`. */
    answered(
      req: IncomingMessage,
      res: ServerResponse,
      { route, requestId, startedAt }: { route: string; requestId: string; startedAt: number },
    ): void {
      const { method = '', url = '' } = req;
      meter({ method, route, status: String(res.statusCode) }, (performance.now() - startedAt) / 1_000);
      if (!takes(route, res.statusCode)) return;
      const [path = ''] = url.split('?', 1);
      res.once('close', () => log(req, res, { requestId, path, startedAt }));
    },
  };
}

/** True for a refusal, an aborted request, and any answer without a limit per client. */
function isRepeatable(status: number | null, res: Response): boolean {
  const limited = res.locals.clientKey !== undefined;
  return status === null || (status >= 400 && status < 500) || !limited;
}

/**
 * Lets the first request per route, status and second pass. At the end of the second, one line counts the others. Both
 * keys are defined by the service, so the memory is bounded.
 */
function createSampler(logger: Logger): (route: string, status: number | null) => boolean {
  const thisSecond = new Map<string, { route: string; status: number | null; requests: number }>();

  function endSecond(): void {
    const leftOut = [...thisSecond.values()].filter(({ requests }) => requests > 0);
    thisSecond.clear();
    if (leftOut.length > 0) logger.info({ leftOut }, 'requests left out of the log');
  }

  return (route, status) => {
    const key = `${status} ${route}`;
    const others = thisSecond.get(key);
    if (others !== undefined) {
      others.requests += 1;
      return false;
    }
    if (thisSecond.size === 0) setTimeout(endSecond, sampledMs).unref();
    thisSecond.set(key, { route, status, requests: 0 });
    return true;
  };
}
