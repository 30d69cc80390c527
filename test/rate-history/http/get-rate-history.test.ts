import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { rateHistoryExamples, ratesExamples } from '../../../contract/examples/rates.js';
import type { RateHistoryPage } from '../../../contract/schemas/rate-history.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { toSample } from '../../../server/features/rate-history/sample.rules.js';
import { createRateSampleStore } from '../../../server/features/rate-history/store.js';
import { toInstant } from '../../../server/ports.js';
import { testApp } from '../../support/app.js';

const quarterMs = 900_000;
const dayMs = 96 * quarterMs;
/** The start of the UTC day three days ago. */
const start = Date.now() - (Date.now() % dayMs) - 3 * dayMs;
const day = toInstant(start).slice(0, 10);
const nextDay = toInstant(start + dayMs).slice(0, 10);
const path = '/api/rates/usdc-ngn/history';
/** On the first day the hours from 6 to 12, with a gap at nine; on the next day midnight. */
const slots = [...Array.from({ length: 24 }, (_, slot) => 24 + slot).filter((slot) => slot !== 36), 96];
const instants = slots.map((slot) => start + slot * quarterMs + 2_345);
const app = await testApp();
let clients = 0;

beforeAll(async () => {
  await add('usdc-ngn', instants);
  await add('usdc-old', [start]);
});

/** Stores answers as the sampler does, in the given order. */
async function add(corridor: string, times: readonly number[]): Promise<void> {
  const answer: RatesAnswer = ratesExamples.getRates.answer;
  const samples = times.map((at) =>
    toSample(new Date(at), { ...answer, corridor, asOf: toInstant(at - 3_000) }),
  );
  await createRateSampleStore(app.connection).insert(samples);
}

const csv = { accept: 'text/csv' };
const shown = ({ items }: RateHistoryPage) => items.map(({ at }) => Date.parse(at));
const newestFirst = (list: readonly number[]) => [...list].sort((a, b) => b - a);

describe('200 as JSON', () => {
  it('shows the samples of a day in short, newest first', async () => {
    const { status, body, headers } = await get(`${path}?day=${day}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      corridor: 'usdc-ngn',
      resolution: '15m',
      from: toInstant(start),
      nextCursor: null,
    });
    expect(shown(body)).toEqual(newestFirst(instants.slice(0, -1)));
    const [point] = rateHistoryExamples.getRateHistory.answer.items;
    expect(body.items[0]).toMatchObject({
      asOf: toInstant((instants.at(-2) ?? 0) - 3_000),
      amount: '100',
      best: { anchorId: 'harbour' },
      unavailable: point?.unavailable,
    });
    expect(body.items[0]?.quotes[0]).toEqual(point?.quotes[0]);
    expect(headers.get('cache-control')).toBe('private, max-age=86400');
    expect(headers.get('x-ratelimit-limit')).toBe('60');
  });

  it.each([
    ['1h', [24, 28, 32, 37, 40, 44]],
    ['1d', [24]],
  ] as const)('shows the first sample of each period at ?resolution=%s', async (resolution, expected) => {
    const { body } = await get(`${path}?day=${day}&resolution=${resolution}`);
    expect(shown(body)).toEqual(newestFirst(expected.map((slot) => start + slot * quarterMs + 2_345)));
  });

  it('shows a range whose beginning is in it and whose end is not', async () => {
    const [from = 0, , to = 0] = instants;
    const { body } = await get(`${path}?from=${toInstant(from)}&to=${toInstant(to)}`);
    expect(shown(body)).toEqual([instants[1], from]);
    expect(body).toMatchObject({ from: toInstant(from), to: toInstant(to) });
  });

  it('gives every sample on exactly one page', async () => {
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await get(`${path}?from=${day}T00:00:00Z&to=${nextDay}T12:00:00Z&limit=5${query}`);
      expect(body.items.length).toBeLessThanOrEqual(5);
      seen.push(...shown(body));
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(newestFirst(instants));
  });

  it('shows the last day without parameters, and the same answer until the next sample', async () => {
    const { status, body, headers } = await get('/api/rates/usdc-kes/history');
    expect({ status, body }).toMatchObject({ status: 200, body: { resolution: '15m' } });
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe(dayMs);
    expect(Date.parse(body.to) % quarterMs).toBe(0);
    expect(headers.get('cache-control')).toBe('private, max-age=15');
  });

  it('keeps the history of a corridor that has left the fleet readable', async () => {
    const { status, body } = await get(`/api/rates/usdc-old/history?day=${day}`);
    expect([status, body.items.length]).toEqual([200, 1]);
  });
});

describe('200 as CSV', () => {
  it('has a row for each anchor of each sample of the day, in order', async () => {
    const { status, body, headers } = await get<string>(`${path}?day=${day}`, csv);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const [columns, ...rows] = body.trimEnd().split('\r\n');
    expect(columns).toMatch(/^at,corridor,amount,anchorId,best,/);
    expect(
      rows.map((row) => row.split(',')).map(([at, , , anchor]) => [Date.parse(at ?? ''), anchor]),
    ).toEqual(
      instants
        .slice(0, -1)
        .flatMap((at) => ['harbour', 'tidewater', 'saltmarsh'].map((anchor) => [at, anchor])),
    );
  });

  it('has the columns alone for a day without samples', async () => {
    const { body } = await get<string>(`/api/rates/usdc-kes/history?day=${day}`, csv);
    expect(body).toMatch(/^at,[^\r\n]+\r\n$/);
  });
});

describe('the form of an answer', () => {
  it.each([
    ['*/*', 'application/json'],
    ['application/json, text/csv;q=0.9', 'application/json'],
    ['text/csv, application/json', 'text/csv'],
    ['text/*', 'text/csv'],
    ['application/x-ndjson', 'application/json'],
    ['application/xml', 'application/json'],
    ['', 'application/json'],
  ])('for Accept: %s is %s, whatever was asked for before', async (accept, type) => {
    const { headers } = await get(`${path}?day=${day}`, { accept });
    expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`);
    expect(headers.get('vary')).toBe('Accept, Accept-Encoding');
  });

  it.each(['gzip', 'br'])('is compressed by %s where a client accepts it', async (coding) => {
    const plain = await get<string>(`${path}?day=${day}`, { ...csv, 'accept-encoding': 'identity' });
    const { body, headers } = await get<string>(`${path}?day=${day}`, { ...csv, 'accept-encoding': coding });
    expect([headers.get('content-encoding'), body]).toEqual([coding, plain.body]);
    expect(headers.get('etag')).not.toBe(plain.headers.get('etag'));
  });

  it('has no body for HEAD, and the headers of GET', async () => {
    const target = `${path}?day=${day}`;
    const { status, body, headers } = await get(target, csv, 'HEAD');
    expect([status, body]).toEqual([200, undefined]);
    expect(headers.get('etag')).toBe((await get(target, csv)).headers.get('etag'));
  });
});

describe('304', () => {
  it('while the samples are the same', async () => {
    const target = `${path}?day=${nextDay}`;
    const forms = [{ accept: 'application/json' }, csv];
    const tags = await Promise.all(forms.map(async (form) => (await get(target, form)).headers.get('etag')));
    const statuses = () =>
      Promise.all(
        forms.map(
          async (form, at) => (await get(target, { ...form, 'if-none-match': tags[at] ?? '' })).status,
        ),
      );
    expect(await statuses()).toEqual([304, 304]);
    const at = start + dayMs + 40 * quarterMs;
    await add('usdc-ngn', [at]);
    // The response cache repeats an answer for a second.
    await delay(1_000);
    expect(await statuses()).toEqual([200, 200]);
  });
});

describe('400', () => {
  it.each([
    ['day=2026-13-01', 'query.day'],
    ['day=yesterday', 'query.day'],
    [`day=${toInstant(Date.now() + dayMs).slice(0, 10)}`, 'query.day'],
    [`day=${day}&from=${day}T00:00:00Z`, 'query.from'],
    [`from=${nextDay}T00:00:00Z&to=${day}T00:00:00Z`, 'query.from'],
    ['from=2020-01-01T00:00:00Z', 'query.from'],
    [`to=${toInstant(Date.now() + 60_000)}`, 'query.to'],
    ['from=today', 'query.from'],
    ['resolution=1m', 'query.resolution'],
    ['resolution=', 'query.resolution'],
    ['limit=0', 'query.limit'],
    ['limit=101', 'query.limit'],
    ['cursor=nonsense', 'query.cursor'],
    ['asOf=2026-11-21T09:30:00Z', 'query.asOf'],
  ])('for ?%s, and names %s', async (query, at) => {
    const { status, body } = await get<object>(`${path}?${query}`);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', details: [{ path: at }] },
    });
  });

  it('for a cursor of another history', async () => {
    const { body } = await get(`${path}?day=${day}&limit=1`);
    const { status } = await get(`${path}?day=${day}&limit=1&resolution=1h&cursor=${body.nextCursor}`);
    expect(status).toBe(400);
  });

  it.each([
    ['', 'query.day'],
    [`?from=${day}T00:00:00Z&to=${nextDay}T00:00:00Z`, 'query.day'],
    [`?day=${day}&limit=5`, 'query.limit'],
    [`?day=${day}&cursor=abc`, 'query.cursor'],
  ])('as JSON, for CSV of %s', async (query, at) => {
    const { status, body } = await get<object>(path + query, csv);
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ path: at }] } });
  });
});

describe('404', () => {
  it.each([{}, csv])('for a corridor that is not served and has no history, with %j', async (accept) => {
    const { status, body } = await get<object>(`/api/rates/usdc-zzz/history?day=${day}`, accept);
    expect({ status, body }).toMatchObject({ status: 404, body: { code: 'UNKNOWN_CORRIDOR' } });
  });
});

/** Sends a request as a new client. */
function get<Body = RateHistoryPage>(target: string, headers: Record<string, string> = {}, method = 'GET') {
  clients += 1;
  return app.client.request<Body>(method, target, {
    headers: { 'x-forwarded-for': `203.0.113.${clients}`, ...headers },
  });
}
