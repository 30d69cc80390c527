import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AppRoute } from '@ts-rest/core';
import type { Request, Response } from 'express';
import type { Changes } from '../cache/changes.js';
import { clientKey, type TrustedRange } from '../http/client-key.js';
import { type Coding, codingFor } from '../http/content-coding.js';
import { type ClientLimit, clientLimitOf, takeOfClient } from '../http/rate-limit.js';
import { type AnsweredRecord, idOf, type RequestRecord } from '../http/request-log.js';
import { metadataOf } from '../http/route-table.js';
import type { KeepAnswer } from '../http/send-json.js';
import type { RateLimiter } from '../limits/rate-limiter.js';
import type { Clock, NewId, RateLimitState } from '../ports.js';
import { type AnswerForm, formOf, ownLines, routeLines, sendForm } from './answer-form.js';
import { createKeptAnswers, type KeptTarget } from './kept-answers.js';
import type { HeaderLines } from './ready-answer.js';
import { refuse } from './refuse.js';
import { type RequestHead, readHead } from './request-head.js';

/** How long requests wait for an answer that another request renews. */
const longestWaitMs = 1_000;

export interface FrontDeps {
  limiter: Pick<RateLimiter, 'take'>;
  changes: Pick<Changes, 'count' | 'since'>;
  record: Pick<RequestRecord, 'of'>;
  trustProxy: readonly TrustedRange[];
  /** Memory for the answers; with 0 everything goes to the application. */
  maxBytes: number;
  newId: NewId;
  clock: Clock;
  /** Monotonic milliseconds; the limiter's. */
  stopwatch?: Clock;
}

/**
 * A response cache in front of the application, like a reverse proxy but in the same process: it repeats the
 * application's answer to the same target, and counts, limits and logs each request. All other requests go to the
 * application unchanged.
 */
export interface Front {
  /** Called by the application with each answer that may be cached. */
  keep: KeepAnswer;
  /**
   * The limit after a point was taken for this request before it went to the application; undefined if that was not
   * tried. Throws if no point could be taken.
   */
  admitted(req: IncomingMessage): RateLimitState | undefined;
  before(app: RequestListener): RequestListener;
}

/** What the requests of one route have in common. */
interface Route {
  /** Undefined if the route has no limit. */
  limit: ClientLimit | undefined;
  /** The headers that each answer of the route has. */
  lines: HeaderLines;
  records: Record<'GET' | 'HEAD', Record<200 | 304 | 429, AnsweredRecord>>;
}

/** A request that may be answered from the cache. */
interface Asked {
  req: IncomingMessage;
  res: ServerResponse;
  head: RequestHead;
  target: KeptTarget<Route>;
  startedAt: number;
}

export function createFront(deps: FrontDeps): Front {
  const { limiter, changes, newId, maxBytes, stopwatch = () => performance.now() } = deps;
  const kept = createKeptAnswers<Route>({ ...deps, maxBytes: Math.max(1, maxBytes), stopwatch });
  const routes = new Map<string, Route>();
  /** The number of changes when a request was passed to the application. */
  const handedAt = new WeakMap<IncomingMessage, number>();
  const taken = new WeakMap<IncomingMessage, () => RateLimitState>();
  /** For each request that others wait for, the function that ends their wait. */
  const renewals = new WeakMap<IncomingMessage, () => void>();

  function routeOf(req: Request, res: Response): Route {
    const path: string = req.route.path;
    let route = routes.get(path);
    if (route === undefined) {
      const { tsRestRoute } = req as Request & { tsRestRoute?: AppRoute };
      const metadata = tsRestRoute === undefined ? undefined : metadataOf(tsRestRoute);
      const limit = metadata && {
        rule: clientLimitOf(metadata),
        operationId: metadata.operationId,
      };
      const records = { GET: recordsOf('GET', path), HEAD: recordsOf('HEAD', path) };
      route = { limit, lines: routeLines(res), records };
      routes.set(path, route);
    }
    return route;
  }

  function recordsOf(method: string, path: string): Record<200 | 304 | 429, AnsweredRecord> {
    const of = (status: number) => deps.record.of(method, path, status);
    return { 200: of(200), 304: of(304), 429: of(429) };
  }

  function keep(...[req, res, answer]: Parameters<KeepAnswer>): void {
    const asOf = handedAt.get(req);
    if (asOf === undefined) return;
    const route = routeOf(req, res);
    // Such a route ignores its query, and nothing bounds how many spellings of its target are asked for: together they
    // would evict all other answers.
    if (route.limit === undefined && req.originalUrl !== req.route.path) return;
    const form = formOf(res, answer.bytes, answer.etag);
    const coding = codingFor(req.get('accept-encoding'));
    kept.keep(req.originalUrl, route, coding, { ...answer, form, asOf });
    renewals.get(req)?.();
  }

  function hand(app: RequestListener, req: IncomingMessage, res: ServerResponse): void {
    handedAt.set(req, changes.count());
    app(req, res);
  }

  function handAdmitted(app: RequestListener, { req, res }: Asked, limit: RateLimitState | undefined): void {
    if (limit !== undefined) taken.set(req, () => limit);
    hand(app, req, res);
  }

  /** Lets the application make the answer again. That is over when it is cached, the response closes, or time is up. */
  function renew(
    app: RequestListener,
    asked: Asked,
    limit: RateLimitState | undefined,
    over: () => void,
  ): void {
    renewals.set(asked.req, over);
    asked.res.once('close', over);
    setTimeout(over, longestWaitMs).unref();
    handAdmitted(app, asked, limit);
  }

  /** Runs after another request renewed the answer. If it is not cached or is outdated, this request makes its own. */
  function answerRenewed(app: RequestListener, asked: Asked, limit: RateLimitState | undefined): void {
    const { req, head } = asked;
    const form = kept.renewed(req.url as string, codingFor(head.acceptEncoding));
    if (form === undefined) handAdmitted(app, asked, limit);
    else send(asked, limit, form);
  }

  /** Answers a request whose limit was checked, or which has none. `now` is by the stopwatch. */
  function answer(app: RequestListener, asked: Asked, limit: RateLimitState | undefined, now: number): void {
    const { req, res, head, target, startedAt } = asked;
    const { retryAfterSeconds } = limit ?? {};
    if (retryAfterSeconds !== undefined) {
      const requestId = idOf(head.requestId, newId);
      refuse(res, ownLines(requestId, limit) + target.route.lines, retryAfterSeconds);
      target.route.records[methodOf(req)][429].answered(req, res, requestId, startedAt);
      return;
    }
    const coding = codingFor(head.acceptEncoding);
    const form = kept.current(target, coding, now);
    if (form === undefined) answerLater(app, asked, limit, coding);
    else send(asked, limit, form);
  }

  /** Makes the answer anew, or waits for another request that does. */
  function answerLater(
    app: RequestListener,
    asked: Asked,
    limit: RateLimitState | undefined,
    coding: Coding,
  ): void {
    const renewal = kept.renewal(asked.target, coding);
    if ('over' in renewal) renew(app, asked, limit, renewal.over);
    // Bound, because the other request calls it, and it must not become part of that trace.
    else renewal.wait(() => answerRenewed(app, asked, limit));
  }

  function send(
    { req, res, head, target, startedAt }: Asked,
    limit: RateLimitState | undefined,
    form: AnswerForm,
  ) {
    const requestId = idOf(head.requestId, newId);
    const own = { lines: ownLines(requestId, limit), ifNoneMatch: head.ifNoneMatch };
    const status = sendForm(res, form, own);
    target.route.records[methodOf(req)][status].answered(req, res, requestId, startedAt);
  }

  function before(app: RequestListener): RequestListener {
    if (maxBytes === 0) return app;
    return (req, res) => {
      const isRead = req.method === 'GET' || req.method === 'HEAD';
      if (!isRead) return app(req, res);
      const target = kept.find(req.url as string);
      const head = target === undefined ? undefined : readHead(req);
      if (target === undefined || head === undefined) return hand(app, req, res);
      const startedAt = stopwatch();
      const asked = { req, res, head, target, startedAt };
      const { limit } = target.route;
      if (limit === undefined) return answer(app, asked, undefined, startedAt);
      const client = clientKey(req.socket.remoteAddress, head.forwardedFor, deps.trustProxy);
      const state = takeOfClient(limiter, limit, client);
      if (!(state instanceof Promise)) return answer(app, asked, state, startedAt);
      state.then(
        (drawn) => answer(app, asked, drawn, stopwatch()),
        // The application answers with this error.
        (error: unknown) => {
          taken.set(req, () => {
            throw error;
          });
          hand(app, req, res);
        },
      );
    };
  }

  return { keep, admitted: (req) => taken.get(req)?.(), before };
}

function methodOf({ method }: IncomingMessage): 'GET' | 'HEAD' {
  return method === 'HEAD' ? 'HEAD' : 'GET';
}
