import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler, Response } from 'express';
import type { Logger, NewId } from '../ports.js';
import { isKnownMethod } from './known-methods.js';
import type { RequestMeter, RequestSeries } from './request-meter.js';

const maxPathLength = 200;
const sampledMs = 1_000;
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

export interface RequestRecord {
  /** Counts and logs a request after its answer, in the handlers of Express. */
  observe: RequestHandler;
  /** The record of requests of one method and route that are answered with one status, outside of Express. */
  of(method: string, route: string, status: number): AnsweredRecord;
}

/** Counts and logs answers that differ only in their request. */
export interface AnsweredRecord {
  /** Must be called when the answer is handed to the socket. `startedAt` is a time of `performance.now()`. */
  answered(req: IncomingMessage, res: ServerResponse, requestId: string, startedAt: number): void;
}

/** Which cached answers are logged: every one, or the first per route, status and second. */
export type CachedAnswerLog = 'all' | 'sampled';

/**
 * Counts every request and logs one line for it; never headers, query values or bodies, which carry secrets. Requests
 * that a stranger can repeat at will are sampled, so that nobody can fill the disk with log lines.
 */
export function createRequestRecord(deps: {
  logger: Logger;
  meter: RequestMeter;
  logCached: CachedAnswerLog;
}): RequestRecord {
  const { logger, meter } = deps;
  const sampler = createSampler(logger);

  function log(
    { method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
    res: ServerResponse,
    { path = url, startedAt, ...ids }: { requestId: string; path?: string; startedAt: number },
  ): void {
    logger.info(
      {
        ...ids,
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

  return {
    observe: (req, res, next) => {
      const startedAt = performance.now();
      const { path } = req;
      res.once('close', () => {
        const status = res.headersSent ? res.statusCode : null;
        const route = req.route?.path ?? 'unmatched';
        // A stream goes on long after it was answered.
        const answeredAt: number = res.locals.answeredAt ?? performance.now();
        const method = isKnownMethod(req.method) ? req.method : 'OTHER';
        meter.of(method, route, status ?? 'none').observe((answeredAt - startedAt) / 1_000);
        if (isRepeatable(status, res) && !sampler.of(route, status).takes()) return;
        log(req, res, { requestId: res.locals.requestId, path, startedAt });
      });
      next();
    },
    of(method, route, status) {
      const series: RequestSeries = meter.of(method, route, status);
      const sampled = sampler.of(route, status);
      const logsAll = deps.logCached === 'all' && status < 400;
      return {
        answered(req, res, requestId, startedAt) {
          series.observe((performance.now() - startedAt) / 1_000);
          if (!logsAll && !sampled.takes()) return;
          const [path = ''] = (req.url ?? '').split('?', 1);
          res.once('close', () => log(req, res, { requestId, path, startedAt }));
        },
      };
    },
  };
}

/** True for a refusal, an aborted request, and any answer without a limit per client. */
function isRepeatable(status: number | null, res: Response): boolean {
  const limited = res.locals.clientKey !== undefined;
  return status === null || (status >= 400 && status < 500) || !limited;
}

/** The requests of one route and status. */
interface Sampled {
  /** Whether this one is the first in a second; the others are counted. */
  takes(): boolean;
}

interface SampledRequests extends Sampled {
  route: string;
  status: number | null;
  seen: number;
}

/**
 * Lets the first request per route, status and second pass. At the end of the second, one line counts the others. Both
 * keys are defined by the service, so the memory is bounded.
 */
function createSampler(logger: Logger): { of(route: string, status: number | null): Sampled } {
  const all = new Map<string, SampledRequests>();
  let thisSecond: SampledRequests[] = [];

  function endSecond(): void {
    const counts = thisSecond.flatMap(({ route, status, seen }) =>
      seen > 1 ? [{ route, status, requests: seen - 1 }] : [],
    );
    for (const sampled of thisSecond) sampled.seen = 0;
    thisSecond = [];
    if (counts.length > 0) logger.info({ leftOut: counts }, 'requests left out of the log');
  }

  function createSampled(route: string, status: number | null): SampledRequests {
    const sampled: SampledRequests = {
      route,
      status,
      seen: 0,
      takes() {
        sampled.seen += 1;
        if (sampled.seen > 1) return false;
        if (thisSecond.length === 0) setTimeout(endSecond, sampledMs).unref();
        thisSecond.push(sampled);
        return true;
      },
    };
    return sampled;
  }

  return {
    of(route, status) {
      const key = `${route} ${status}`;
      let sampled = all.get(key);
      if (sampled === undefined) {
        sampled = createSampled(route, status);
        all.set(key, sampled);
      }
      return sampled;
    },
  };
}
