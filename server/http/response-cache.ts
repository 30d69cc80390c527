import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AppRoute } from '@ts-rest/core';
import type { Request, Response } from 'express';
import type { RateLimitClass } from '../../contract/rate-limits.js';
import type { RateLimiter } from '../limits/rate-limiter.js';
import type { Clock, NewId, RateLimitState } from '../ports.js';
import { createCachedAnswers, type Entry } from './cached-answers.js';
import type { ClientKeyOf } from './client-key.js';
import { codingFor } from './content-coding.js';
import { matchesTag } from './entity-tag.js';
import { bodyOf } from './error-mapper.js';
import { isPlainRead } from './malformed-request.js';
import { mediaTypeOf } from './media-type.js';
import { clientLimitOf, limitHeaders, limitKeyOf, rateLimited } from './rate-limit.js';
import { idOf, type RequestRecord } from './request-log.js';
import { metadataOf } from './route-table.js';
import type { BeginAnswer } from './send-json.js';

export type ResponseCache = ReturnType<typeof createResponseCache>;

/** Headers whose value is in node's form: names and values alternate. */
type Headers = readonly string[];

/** An answer without what belongs to one client. */
interface Answer {
  /** The template of its route. */
  route: string;
  rule: RateLimitClass;
  operationId: string;
  etag: string;
  body: Buffer;
  headers: Headers;
  /** Of a 304. */
  unmodified: Headers;
  /** Of every status. */
  ofRoute: Headers;
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
  clientKeyOf: ClientKeyOf;
  /** What was begun under another epoch is neither stored nor served. */
  epoch: () => number;
  record: Pick<RequestRecord, 'answered'>;
  newId: NewId;
  /** Monotonic milliseconds. */
  stopwatch?: Clock;
}) {
  const { limiter, clientKeyOf, epoch, record, newId, stopwatch = () => performance.now() } = deps;
  const cached = createCachedAnswers<Answer>({ epoch, stopwatch });
  const taken = new WeakMap<IncomingMessage, RateLimitState>();
  /** Bodies of 429 by the seconds to wait, 60 at most. An ApiError captures a stack, which took a fifth of a refusal's time. */
  const refusals = new Map<number, string>();

  function answer(app: RequestListener, asked: Asked, limit: RateLimitState): void {
    if (limit.retryAfterSeconds !== undefined) refuse(asked, limit, limit.retryAfterSeconds);
    else if (cached.isCurrent(asked.entry)) send(asked, limit);
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
        if (entry !== undefined && cached.isCurrent(entry)) send({ ...asked, entry }, limit);
        else hand();
      });
  }

  function send(asked: Asked, limit: RateLimitState): void {
    const { req, res } = asked;
    const known = asked.entry.answer;
    const requestId = idOf(headerOf(req, 'x-request-id'), newId);
    const own = ['X-Request-Id', requestId, ...limitHeaders(limit)];
    if (matchesTag(req.headers['if-none-match'], known.etag))
      res.writeHead(304, [...own, ...known.unmodified]).end();
    else res.writeHead(200, [...own, ...known.headers]).end(req.method === 'HEAD' ? undefined : known.body);
    record.answered(req, res, { requestId, route: known.route, startedAt: asked.startedAt });
  }

  function refuse({ req, res, entry, startedAt }: Asked, limit: RateLimitState, seconds: number): void {
    const requestId = idOf(headerOf(req, 'x-request-id'), newId);
    const { route, ofRoute } = entry.answer;
    const body = refusals.get(seconds) ?? JSON.stringify(bodyOf(rateLimited(seconds)));
    refusals.set(seconds, body);
    const own = ['X-Request-Id', requestId, ...limitHeaders(limit), ...ofRoute];
    const ofError = ['Cache-Control', 'no-store', 'Retry-After', String(seconds), 'Vary', 'Accept-Encoding'];
    const ofBody = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length)];
    res.writeHead(429, [...own, ...ofError, ...ofBody]).end(req.method === 'HEAD' ? undefined : body);
    record.answered(req, res, { requestId, route, startedAt });
  }

  return {
    before:
      (app: RequestListener): RequestListener =>
      (req, res) => {
        const key = isPlainRead(req) ? keyOf(req.url as string, req.headers) : undefined;
        const entry = key === undefined ? undefined : cached.find(key);
        if (key === undefined || entry === undefined) return app(req, res);
        const asked = { req, res, key, entry, startedAt: stopwatch() };
        const client = clientKeyOf(req.socket.remoteAddress, headerOf(req, 'x-forwarded-for'));
        const { rule, operationId } = entry.answer;
        const limit = limiter.take(rule, limitKeyOf(operationId, client));
        if (!(limit instanceof Promise)) return answer(app, asked, limit);
        // If the limit cannot be told, the application tries again, and answers with the error.
        limit.then(
          (drawn) => answer(app, asked, drawn),
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
        const answer = {
          route: req.route.path as string,
          rule: clientLimitOf(metadata),
          operationId: metadata.operationId,
          etag,
          body: bytes,
          headers: [...present(res, ofAnswer), 'Content-Length', String(bytes.length)],
          unmodified: present(res, ofUnmodified),
          ofRoute: present(res, ofRoute),
        };
        cached.keep(keyOf(req.originalUrl, req.headers), answer, { begunIn, sameForMs, bytes: bytes.length });
      };
    },
    /** The limit after a point was taken for a request that then went to the application. */
    taken: (req: IncomingMessage): RateLimitState | undefined => taken.get(req),
  };
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
