import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { examples } from '../../contract/examples/index.js';
import { type Answer, checkAnswer } from '../support/answers.js';

// These answers are invented: they must not count as seen in this run.
const folder = mkdtempSync(join(tmpdir(), 'fairlead-answers-'));
beforeAll(() => {
  process.env.FAIRLEAD_ANSWERS_DIR = folder;
});
afterAll(() => {
  delete process.env.FAIRLEAD_ANSWERS_DIR;
  rmSync(folder, { recursive: true });
});

const limits = {
  'x-request-id': '0123456789abcdef',
  'x-ratelimit-limit': '90',
  'x-ratelimit-remaining': '89',
  'x-ratelimit-reset': '1795253400',
};
const json = { 'content-type': 'application/json; charset=utf-8' };
const quotes = examples.rates.getRates.answer;

const good: Answer = {
  method: 'GET',
  path: '/api/rates/usdc-ngn?amount=100',
  status: 200,
  headers: {
    ...limits,
    ...json,
    etag: '"abc"',
    vary: 'Accept-Encoding',
    'cache-control': 'private, max-age=8',
  },
  body: quotes,
};
const errorHeaders = { ...limits, ...json, 'cache-control': 'no-store' };
const limited: Answer = {
  ...good,
  status: 429,
  headers: { ...errorHeaders, 'retry-after': '7' },
  body: { code: 'RATE_LIMITED', message: 'Too many requests.', retryAfter: 7 },
};
const without = (answer: Answer, name: string): Answer => ({
  ...answer,
  headers: Object.fromEntries(Object.entries(answer.headers).filter(([key]) => key !== name)),
});

describe('an answer as documented', () => {
  it.each<[string, Answer]>([
    ['a 200 with its body', good],
    ['the same by Headers', { ...good, headers: new Headers(good.headers as Record<string, string>) }],
    ['a HEAD without one', { ...good, method: 'HEAD', body: undefined }],
    ['a 304', without({ ...good, status: 304, body: undefined }, 'content-type')],
    ['a 429', limited],
    [
      'a 414 of the edge',
      { ...good, status: 414, headers: errorHeaders, body: { code: 'URI_TOO_LONG', message: 'Too long.' } },
    ],
    [
      'a 404 where nothing is',
      {
        ...good,
        path: '/nowhere',
        status: 404,
        headers: errorHeaders,
        body: { code: 'NOT_FOUND', message: 'No.' },
      },
    ],
    [
      'a preflight',
      { method: 'OPTIONS', path: '/api/corridors', status: 204, headers: { allow: 'GET' }, body: undefined },
    ],
    [
      'an operational address',
      { method: 'GET', path: '/readyz', status: 200, headers: {}, body: { status: 'ready' } },
    ],
  ])('passes: %s', (_name, answer) => {
    expect(() => checkAnswer(answer)).not.toThrow();
  });

  it('is recorded once by operation and status, HEAD not, and each error once in its words', () => {
    const lines = readdirSync(folder).flatMap((name) =>
      readFileSync(join(folder, name), 'utf8').trim().split('\n'),
    );
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { operationId: 'getRates', status: 200 },
      { operationId: 'getRates', status: 304 },
      { operationId: 'getRates', status: 429 },
      { code: 'RATE_LIMITED', message: 'Too many requests.' },
      { code: 'URI_TOO_LONG', message: 'Too long.' },
      { code: 'NOT_FOUND', message: 'No.' },
    ]);
  });
});

describe('an answer that is not as documented', () => {
  it.each<[string, Answer, RegExp]>([
    ['a status that is not listed', { ...good, status: 202 }, /does not list the status 202/],
    ['a member too many', { ...good, body: { ...quotes, extra: 1 } }, /additional properties: extra/],
    ['a member too many, deep', { ...good, body: { ...quotes, best: { anchorId: 'a', b: 1 } } }, /best.*: b/],
    ['a member missing', { ...good, body: { ...quotes, asOf: undefined } }, /required property 'asOf'/],
    ['a number for a decimal', { ...good, body: { ...quotes, amount: 100 } }, /body\/amount must be string/],
    ['no body', { ...good, body: undefined }, /body must be object/],
    [
      'HTML',
      { ...good, headers: { ...good.headers, 'content-type': 'text/html' } },
      /Content-Type is text\/html/,
    ],
    [
      'a code of another status',
      { ...limited, body: { ...(limited.body as object), code: 'INTERNAL' } },
      /allowed values/,
    ],
    [
      'a Retry-After that is not the one of the body',
      { ...limited, headers: { ...limited.headers, 'retry-after': '8' } },
      /Retry-After is 8/,
    ],
    [
      'a fractional Retry-After',
      { ...limited, headers: { ...limited.headers, 'retry-after': '7.5' } },
      /Retry-After must be integer/,
    ],
    [
      'an error that may be kept',
      { ...limited, headers: { ...limited.headers, 'cache-control': 'max-age=8' } },
      /Cache-Control must match/,
    ],
    ['a body with 304', { ...good, status: 304 }, /a body where none is documented/],
    ['a body with HEAD', { ...good, method: 'HEAD' }, /a body where none is documented/],
    ['a 200 where nothing is', { ...good, path: '/nowhere' }, /lists no operation here/],
    [
      'a 405 without Allow',
      { ...good, method: 'PUT', status: 405, body: { code: 'METHOD_NOT_ALLOWED', message: 'No.' } },
      /Allow is missing/,
    ],
    [
      'an own code where nothing is',
      { ...good, path: '/nowhere', status: 409, body: { code: 'RUN_IN_PROGRESS', message: 'No.' } },
      /RUN_IN_PROGRESS/,
    ],
  ])('fails: %s', (_name, answer, fault) => {
    expect(() => checkAnswer(answer)).toThrow(fault);
  });

  it.each(Object.keys(good.headers))('fails: without the header %s', (name) => {
    expect(() => checkAnswer(without(good, name))).toThrow(new RegExp(name, 'i'));
  });
});
