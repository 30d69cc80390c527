import { describe, expect, it } from '@jest/globals';
import {
  createClient as createLight,
  type EntryProof,
  FairleadError,
  isFairleadError,
  unwrap,
} from '../../contract/client/index.js';
import { readMaxAge, readRateLimit, readRetryAfter } from '../../contract/client/read-headers.js';
import { examples } from '../../contract/examples/index.js';
import { createClient, UnexpectedAnswerError, verifyEntry } from '../../contract/index.js';
import { scriptedService } from '../fixtures/clients/scripted-service.js';
import { expectFor } from '../support/expect-for.js';
import proofTexts from '../vectors/proof-texts.json' with { type: 'json' };

const service = scriptedService();

const client = () => createClient(service.url, { retry: false });
const rates = examples.rates.getRates.answer;
const [quote] = rates.quotes;

async function readRates(body: unknown, status = 200) {
  service.answers = [{ status, body }];
  return client().rates.getRates({ params: { corridor: 'usdc-ngn' } });
}

describe('an answer that is not as the contract says', () => {
  it.each([
    ['lacks a member', { ...rates, asOf: undefined }, 'body.asOf'],
    ['has a number for a decimal', { ...rates, quotes: [{ ...quote, rate: 1 }] }, 'body.quotes.0.rate'],
    ['has null where nothing is nullable', { ...rates, quotes: null }, 'body.quotes'],
    ['has a number for an enum', { ...rates, quotes: [{ ...quote, tier: 1 }] }, 'body.quotes.0.tier'],
  ])('is an UnexpectedAnswerError with the path where it %s', async (_case, body, path) => {
    const failure = await readRates(body).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnexpectedAnswerError);
    expect(failure).toMatchObject({ operationId: 'getRates', status: 200, path });
    expect((failure as Error).message).toContain(path);
  });

  it.each([
    [429, 'RATE_LIMITED', 'body.retryAfter'],
    [503, 'NOT_READY', 'body.retryAfter'],
    [503, 'RATES_UNAVAILABLE', 'body.unavailable'],
    [503, 'UNKNOWN_ANCHOR', 'body'],
  ])('is one where an error %i %s lacks what its code promises, or is of another status', async (...row) => {
    const [status, code, path] = row;
    const failure = await readRates({ code, message: 'Later.' }, status).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnexpectedAnswerError);
    expect(failure).toMatchObject({ status, path });
  });
});

describe('what a later version may add', () => {
  it.each([
    ['a member of the answer', { ...rates, added: 1 }],
    ['a member inside', { ...rates, quotes: [{ ...quote, added: { more: true } }] }],
    ['a value of an enum', { ...rates, unavailable: [{ anchorId: 'harbour', reason: 'asleep' }] }],
  ])('is no fault and is kept: %s', async (_case, body) => {
    expect(await readRates(body)).toMatchObject({ status: 200, body });
  });

  it('is no fault: a new event among those of a webhook, or another window than those of today', async () => {
    const webhook = { ...examples.webhooks.getWebhook.answer, events: ['intent.settled', 'anchor.retired'] };
    const scores = { ...examples.scores.getPublicScores.answer, window: 90 };
    service.answers = [webhook, scores].map((body) => ({ status: 200, body }));
    const params = { id: webhook.id };
    expect(await client().webhooks.getWebhook({ params })).toMatchObject({ body: webhook });
    expect(await client().scores.getPublicScores()).toMatchObject({ body: scores });
  });

  it('is no fault: a member of an error, or another code at its status', async () => {
    const limited = { code: 'RATE_LIMITED', message: 'Later.', retryAfter: 1, added: 1 };
    expect(await readRates(limited, 429)).toMatchObject({ status: 429, body: limited });
    const other = { code: 'CORRIDOR_PAUSED', message: 'Not now.' };
    expect(await readRates(other, 404)).toMatchObject({ status: 404, body: other });
  });
});

describe('a proof, read by the light client', () => {
  async function holds(text: string): Promise<boolean> {
    service.answers = [{ status: 200, body: text }];
    const query = { anchor: 'ngnc', corridor: 'usdc-kes' };
    const call = createLight(service.url).publisher.proveBatchEntry({ params: { sequence: '4' }, query });
    const answer = await call.catch((error: unknown) => error);
    if (answer instanceof UnexpectedAnswerError) return false;
    const { entry, index, size, proof, batch } = (answer as Awaited<typeof call>).body as EntryProof;
    const { header } = batch;
    return verifyEntry({ entry: { ...entry }, index, size, proof, header });
  }

  it('holds only as it was written', async () => {
    expect(await holds(proofTexts.text)).toBe(true);
    // fetch itself drops a byte order mark.
    for (const { name, from, to } of proofTexts.refused.filter(({ to: text }) => !text.startsWith('\ufeff')))
      expectFor(name, await holds(proofTexts.text.replace(from, to))).toBe(false);
  });
});

const askRates = () =>
  createLight(service.url, { retry: false }).rates.getRates({ params: { corridor: 'usdc-ngn' } });
const limited = { code: 'RATE_LIMITED', message: 'Too many requests.', retryAfter: 17 };

describe('unwrap', () => {
  it('gives the body of a success', async () => {
    service.answers = [{ status: 200, body: rates }];
    expect(unwrap(await askRates())).toEqual(rates);
  });

  it('throws an error with code, status, body and headers', async () => {
    service.answers = [{ status: 429, headers: { 'retry-after': '17' }, body: limited }];
    const answer = await askRates();
    const error = await (async () => unwrap(answer))().catch((thrown: unknown) => thrown);
    for (const kind of [FairleadError, Error]) expect(error).toBeInstanceOf(kind);
    const { code, message } = limited;
    expect(error).toMatchObject({ name: 'FairleadError', message, code, status: 429, body: limited });
    expect((error as FairleadError).headers.get('retry-after')).toBe('17');
  });
});

describe('isFairleadError', () => {
  const body = { ...limited, code: 'RATE_LIMITED' } as const;
  const error: unknown = new FairleadError({ status: 429, body, headers: new Headers() });

  it('narrows what was caught to what a code promises', () => {
    expect(isFairleadError(error, 'RATE_LIMITED') ? error.body.retryAfter : undefined).toBe(17);
    expect(isFairleadError(error, 'INTERNAL', 'RATE_LIMITED')).toBe(true);
    expect(isFairleadError(error, 'UNKNOWN_CORRIDOR', 'INTERNAL')).toBe(false);
  });

  it('is false for anything else that a call may reject with', () => {
    for (const other of [new Error('boom'), new DOMException('', 'TimeoutError'), null, limited])
      expect(isFairleadError(other)).toBe(false);
  });
});

const now = Date.UTC(2026, 10, 21, 9, 30, 0);
const headers = (record: Record<string, string>) => new Headers(record);

describe('readRateLimit', () => {
  const names = ['Limit', 'Remaining', 'Reset'].map((name) => `X-RateLimit-${name}`);
  const values = ['90', '0', '1795253460'];
  const whole = Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));

  it('reads the three headers as numbers, and Retry-After where there is one', () => {
    const read = { limit: 90, remaining: 0, resetEpochSeconds: 1_795_253_460 };
    expect(readRateLimit(headers(whole))).toEqual({ ...read, retryAfterSeconds: null });
    const waiting = { ...whole, 'Retry-After': '17' };
    expect(readRateLimit(headers(waiting))).toEqual({ ...read, retryAfterSeconds: 17 });
  });

  it.each(names)('is null where %s is missing or not a whole number', (name) => {
    for (const value of ['', '-1', '1.5', '1e3', 'soon', '90, 90', '9'.repeat(13)])
      expect(readRateLimit(headers({ ...whole, [name]: value }))).toBeNull();
    const { [name]: _missing, ...rest } = whole;
    expect(readRateLimit(headers(rest))).toBeNull();
  });
});

it.each([
  ['0', 0],
  ['86400', 86_400],
  ['Sat, 21 Nov 2026 09:30:10 GMT', 10],
  ['Sat, 21 Nov 2026 09:29:00 GMT', 0],
  ['1.5', 2],
  ['-1', null],
  ['soon 5', null],
  ['2026-11-21', null],
  ['in a while', null],
  ['', null],
])('readRetryAfter %j is %j', (text, seconds) => {
  expect(readRetryAfter(headers({ 'Retry-After': text }), now)).toBe(seconds);
  expect(readRetryAfter(headers({}), now)).toBeNull();
});

it.each([
  ['public, max-age=5', 5],
  ['max-age=0, private', 0],
  ['no-store', null],
  ['s-maxage=9', null],
  ['max-age=soon', null],
  ['', null],
])('readMaxAge of %j is %j', (text, seconds) => {
  expect(readMaxAge(headers({ 'Cache-Control': text }))).toBe(seconds);
  expect(readMaxAge(headers({}))).toBeNull();
});
