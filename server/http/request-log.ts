import type { IncomingMessage, ServerResponse } from 'node:http';
// Quicker than the global of this name, which is looked up by a getter.
import { performance } from 'node:perf_hooks';
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

interface RequestLabels {
  method: string;
  route: string;
  status: string;
}

/** The duration of each request, by labels that the service defines, so that they are few. */
export type RequestMeter = (labels: RequestLabels, seconds: number) => void;

/** The requests of this second with the same route and status. */
export interface Sample {
  route: string;
  status: number | null;
  requests: number;
  /** Quick answers of the response cache that were not metered yet, and the time of all. */
  quick: { answers: number; seconds: number };
}

/** The first bound of the meter. Each observation takes a tenth of a cached answer's time, unless many are made in a row. */
const quickSeconds = 0.001;

/**
 * Counts every request and logs one line for it; never headers, query values or bodies, which carry secrets. Requests
 * that a stranger can repeat at will are sampled, so that nobody can fill the disk with log lines.
 */
export function createRequestRecord({ logger, meter }: { logger: Logger; meter: RequestMeter }) {
  const { sampleOf, takes } = createSampler({ logger, meter });

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
      if (isRepeatable(status, res) && !takes(sampleOf(route, status))) return;
      log(req, res, { requestId: res.locals.requestId, path, startedAt });
    });
    next();
  };

  return {
    observe,
    /** What `answered` counts by. It is looked up when an answer is made, and not for each request. */
    sampleOf,
    /** The same for an answer of the response cache, when it was handed to the socket. `startedAt` is of `performance.now()`. */
    answered(
      req: IncomingMessage,
      res: ServerResponse,
      { sample, requestId, startedAt }: { sample: Sample; requestId: string; startedAt: number },
    ): void {
      const { method = '', url = '' } = req;
      const seconds = (performance.now() - startedAt) / 1_000;
      const isLogged = takes(sample);
      if (seconds < quickSeconds && method === 'GET') {
        sample.quick.answers += 1;
        sample.quick.seconds += seconds;
      } else meter({ method, route: sample.route, status: String(sample.status) }, seconds);
      if (!isLogged) return;
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
function createSampler({ logger, meter }: { logger: Logger; meter: RequestMeter }) {
  const samples = new Map<string, Sample>();
  let thisSecond: Sample[] = [];

  function endSample(sample: Sample): void {
    const { route, status, quick } = sample;
    const labels = { method: 'GET', route, status: String(status) };
    const seconds = quick.seconds / quick.answers;
    for (let metered = 0; metered < quick.answers; metered += 1) meter(labels, seconds);
    sample.requests = 0;
    sample.quick = { answers: 0, seconds: 0 };
  }

  function endSecond(): void {
    const leftOut = thisSecond
      .filter(({ requests }) => requests > 1)
      .map(({ route, status, requests }) => ({ route, status, requests: requests - 1 }));
    for (const sample of thisSecond) endSample(sample);
    thisSecond = [];
    if (leftOut.length > 0) logger.info({ leftOut }, 'requests left out of the log');
  }

  return {
    sampleOf(route: string, status: number | null): Sample {
      const key = `${status} ${route}`;
      const sample = samples.get(key) ?? { route, status, requests: 0, quick: { answers: 0, seconds: 0 } };
      samples.set(key, sample);
      return sample;
    },
    takes(sample: Sample): boolean {
      sample.requests += 1;
      if (sample.requests > 1) return false;
      if (thisSecond.length === 0) setTimeout(endSecond, sampledMs).unref();
      thisSecond.push(sample);
      return true;
    },
  };
}
