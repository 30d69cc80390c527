import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
// Quicker than the global of this name, which is looked up by a getter.
import { performance } from 'node:perf_hooks';
import type { AppRoute } from '@ts-rest/core';
import type { Request, Response } from 'express';
import type { RateLimitClass } from '../../contract/rate-limits.js';
import type { RateLimiter } from '../limits/rate-limiter.js';
import type { Clock, NewId, RateLimitState } from '../ports.js';
import { createCachedAnswers, type Entry } from './cached-answers.js';
import type { WindowKeyOf } from './client-key.js';
import { bodyOf } from './error-mapper.js';
import { isPlainRead } from './malformed-request.js';
import { codingFor, matchesTag, mediaTypeOf } from './negotiation.js';
import { clientLimitOf, limitHeaders, rateLimited } from './rate-limit.js';
import { idOf, type RequestRecord, type Sample } from './request-log.js';
import { metadataOf } from './route-table.js';
import type { BeginAnswer } from './send-json.js';

export type ResponseCache = ReturnType<typeof createResponseCache>;

/** A smaller body is kept as a string with one character a byte: Node joins a string to the head, which is quicker. */
const stringBelowBytes = 8_192;

/** Headers whose value is in node's form: names and values alternate. */
type Headers = readonly string[];

/** What a client gets, but for its own headers. */
interface Reply {
  status: number;
  headers: Headers;
  /** A string has one character a byte. */
  body: Buffer | string | undefined;
  sample: Sample;
}

/** An answer without what belongs to one client. */
interface Answer {
  /** The template of its route. */
  route: string;
  rule: RateLimitClass;
  operationId: string;
  etag: string;
  whole: Reply;
  unmodified: Reply;
  /** Headers of every status. */
  ofRoute: Headers;
  /** Refusals by the seconds to wait. An ApiError captures a stack, which took a fifth of a refusal's time. */
  refusals: Map<number, Reply>;
}

const ofRoute = ['X-Content-Type-Options', 'Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'];
const ofUnmodified = [...ofRoute, 'Cache-Control', 'Vary', 'ETag'];
/** All others belong to one client and are not cached. */
const ofAnswer = [...ofUnmodified, 'Content-Type', 'Content-Encoding'];

/** A request whose answer is cached, though perhaps no longer current. */
interface Asked {
  req: IncomingMessage;
  res: ServerResponse;
  key: string;
  entry: Entry<Answer>;
  startedAt: number;
}

/**
 * A micro-cache, as a reverse proxy has it, in the same process: it repeats the application's answer to the same question
 * for a second, and calls the same functions for request id, client and limit. Everything else goes to the application.
 */
export function createResponseCache(deps: {
  limiter: Pick<RateLimiter, 'take'>;
  windowKeyOf: WindowKeyOf;
  /** What was begun under another epoch is neither stored nor served. */
  epoch: () => number;
  record: Pick<RequestRecord, 'answered' | 'sampleOf'>;
  newId: NewId;
  /** Monotonic milliseconds. */
  stopwatch?: Clock;
}) {
  const { limiter, windowKeyOf, epoch, record, newId, stopwatch = () => performance.now() } = deps;
  const cached = createCachedAnswers<Answer>({ epoch, stopwatch });
  const taken = new WeakMap<IncomingMessage, RateLimitState>();

  function answer(app: RequestListener, asked: Asked, limit: RateLimitState): void {
    const { entry } = asked;
    if (limit.retryAfterSeconds !== undefined)
      send(asked, limit, refusalOf(entry.answer, limit.retryAfterSeconds));
    else if (cached.isCurrent(entry)) send(asked, limit, selected(asked.req, entry.answer));
    else renew(app, asked, limit);
  }

  /** Lets the application make the answer again, or waits for another request that does. */
  function renew(app: RequestListener, asked: Asked, limit: RateLimitState): void {
    const { req, res } = asked;
    const hand = () => {
      taken.set(req, limit);
      app(req, res);
    };
    const renewed = cached.renewal(asked.entry, res);
    if (renewed === undefined) hand();
    else
      renewed.then(() => {
        const entry = cached.find(asked.key);
        if (entry !== undefined && cached.isCurrent(entry)) send(asked, limit, selected(req, entry.answer));
        else hand();
      });
  }

  function replyOf(route: string, status: number, headers: Headers, body?: Buffer | string): Reply {
    return { status, headers, body, sample: record.sampleOf(route, status) };
  }

  function send({ req, res, startedAt }: Asked, limit: RateLimitState, reply: Reply): void {
    const { status, headers, body, sample } = reply;
    const requestId = idOf(headerOf(req, 'x-request-id'), newId);
    res.writeHead(status, ['X-Request-Id', requestId, ...limitHeaders(limit), ...headers]);
    // Node writes no body to a HEAD.
    res.end(body, 'latin1');
    record.answered(req, res, { sample, requestId, startedAt });
  }

  function refusalOf({ route, ofRoute, refusals }: Answer, seconds: number): Reply {
    const known = refusals.get(seconds);
    if (known !== undefined) return known;
    const body = JSON.stringify(bodyOf(rateLimited(seconds)));
    const ofError = ['Cache-Control', 'no-store', 'Retry-After', String(seconds), 'Vary', 'Accept-Encoding'];
    const ofBody = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length)];
    const refusal = replyOf(route, 429, [...ofRoute, ...ofError, ...ofBody], body);
    refusals.set(seconds, refusal);
    return refusal;
  }

  return {
    before:
      (app: RequestListener): RequestListener =>
      (req, res) => {
        const key = isPlainRead(req) ? keyOf(req.url as string, req.headers) : undefined;
        const entry = key === undefined ? undefined : cached.find(key);
        if (key === undefined || entry === undefined) return app(req, res);
        const asked = { req, res, key, entry, startedAt: stopwatch() };
        const { rule, operationId } = entry.answer;
        const window = windowKeyOf(operationId, req.socket.remoteAddress, headerOf(req, 'x-forwarded-for'));
        const limit = limiter.take(rule, window);
        if (!(limit instanceof Promise)) return answer(app, asked, limit);
        // Others may have renewed the answer meanwhile. If the limit cannot be told, the application answers with the error.
        limit.then(
          (drawn) => answer(app, { ...asked, entry: cached.find(key) ?? entry }, drawn),
          () => app(req, res),
        );
      },
    /** Called by the application for each request. */
    begin(req: Request, res: Response): ReturnType<BeginAnswer> {
      const begunIn = epoch();
      return ({ bytes, etag, sameForMs }) => {
        const { tsRestRoute } = req as Request & { tsRestRoute?: AppRoute };
        const metadata = tsRestRoute && metadataOf(tsRestRoute);
        if (metadata?.cache !== 'etag') return;
        const route: string = req.route.path;
        const headers = [...present(res, ofAnswer), 'Content-Length', String(bytes.length)];
        const body = bytes.length < stringBelowBytes ? bytes.toString('latin1') : bytes;
        const answer: Answer = {
          route,
          rule: clientLimitOf(metadata),
          operationId: metadata.operationId,
          etag,
          whole: replyOf(route, 200, headers, body),
          unmodified: replyOf(route, 304, present(res, ofUnmodified)),
          ofRoute: present(res, ofRoute),
          refusals: new Map(),
        };
        cached.keep(keyOf(req.originalUrl, req.headers), answer, { begunIn, sameForMs, bytes: bytes.length });
      };
    },
    /** The limit after a point was taken for a request that then went to the application. */
    taken: (req: IncomingMessage): RateLimitState | undefined => taken.get(req),
  };
}

function selected(req: IncomingMessage, { etag, whole, unmodified }: Answer): Reply {
  return matchesTag(req.headers['if-none-match'], etag) ? unmodified : whole;
}

/** What selects an answer: its target, content coding and media type. A HEAD is answered from the answer to its GET. */
function keyOf(url: string, headers: IncomingMessage['headers']): string {
  return `${codingFor(headers['accept-encoding'] as string)} ${mediaTypeOf(headers.accept)} ${url}`;
}

/** Of a plain read, in which no header is given twice. */
function headerOf(req: IncomingMessage, name: string): string | undefined {
  return req.headers[name] as string | undefined;
}

function present(res: ServerResponse, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = res.getHeader(name);
    return value === undefined ? [] : [name, String(value)];
  });
}
