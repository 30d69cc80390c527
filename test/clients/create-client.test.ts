import { beforeEach, describe, expect, it } from '@jest/globals';
import * as light from '../../contract/client/index.js';
import { contract } from '../../contract/contract.js';
import { examples } from '../../contract/examples/index.js';
import * as whole from '../../contract/index.js';
import { scriptedService, startScriptedService } from '../fixtures/clients/scripted-service.js';

const service = scriptedService();
/** The waits between attempts that clients of this file asked for, in milliseconds. */
let waits: number[];
beforeEach(() => {
  waits = [];
});

const health = { status: 200, body: examples.publisher.getPublisherHealth.answer };
const intent = { status: 201, body: examples.intents.createIntent.answer };
const intentBody = examples.intents.createIntent.body;
const busy = (status: number, retryAfter: number) => ({
  status,
  headers: { 'retry-after': String(retryAfter) },
  body: { code: status === 429 ? 'RATE_LIMITED' : 'NOT_READY', message: 'Later.', retryAfter },
});
const limits = (remaining: number) => ({
  'x-ratelimit-limit': '120',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': '1795253460',
});

const noWait = async (waitMs: number) => {
  waits.push(waitMs);
};

describe.each([
  ['@fairlead/contract', whole],
  ['@fairlead/contract/client', light],
] as const)('createClient of %s', (_entry, { createClient, UnexpectedAnswerError }) => {
  const client = (options: light.ClientOptions = {}): light.Client =>
    createClient(service.url, { wait: noWait, ...options });

  describe('a request', () => {
    it('encodes path and query values, and leaves absent ones out', async () => {
      service.answers = [{ status: 404, body: { code: 'UNKNOWN_CORRIDOR', message: 'No such corridor.' } }];
      const query = { amount: '1&2', deliveryMethod: undefined };
      await client().rates.getRates({ params: { corridor: 'a/../b?c#d' }, query });
      expect(service.requests[0]?.url).toBe('/api/rates/a%2F..%2Fb%3Fc%23d?amount=1%262');
    });

    it.each(['', '.', '..', undefined])(
      "is not sent with the path parameter '%s', which names another operation",
      async (anchor) => {
        const call = client().anchors.getAnchor({ params: { anchor: anchor as string } });
        await expect(call).rejects.toThrow(RangeError);
        expect(service.requests).toEqual([]);
      },
    );

    it('carries JSON with its content type, and no body when the call has none', async () => {
      service.answers = [intent, health];
      await client().intents.createIntent({ body: intentBody });
      await client().publisher.getPublisherHealth();
      expect(service.requests[0]?.headers['content-type']).toBe('application/json');
      expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(intentBody);
      expect(service.requests[1]?.body).toBe('');
      expect(service.requests[1]?.headers).not.toHaveProperty('content-type');
    });
  });

  describe('an answer', () => {
    const html = { 'content-type': 'text/html' };
    const failure = (options: light.ClientOptions) =>
      client(options)
        .publisher.getPublisherHealth()
        .catch((error: unknown) => error);

    it('is its status, its body and its headers', async () => {
      service.answers = [{ ...health, headers: { etag: '"1"' } }];
      const { status, body, headers } = await client().publisher.getPublisherHealth();
      expect([status, body, headers.get('etag')]).toEqual([200, health.body, '"1"']);
    });

    it.each([
      ['a page of a proxy at a listed status', { status: 503, headers: html, body: '<h1>' }],
      ['a success that is no JSON', { status: 200, body: 'ok' }],
      ['an unlisted status', { status: 409, body: { code: 'DISPUTE_EXISTS', message: '' } }],
      ['an error without a code', { status: 500, body: { error: 'boom' } }],
      ['an error whose code is a number', { status: 500, body: { code: 500, message: 'boom' } }],
    ])('rejects where it is %s', async (_, answer) => {
      service.answers = [answer];
      const error = await failure({ retry: false });
      expect(error).toBeInstanceOf(UnexpectedAnswerError);
      const { status, body } = answer;
      expect(error).toMatchObject({ operationId: 'getPublisherHealth', status, body, path: null });
    });

    it('is a FairleadError where it is an error of the service that the operation does not list', async () => {
      const body = { code: 'REQUEST_TIMEOUT', message: 'Too slow.' };
      service.answers = [{ status: 408, headers: { 'x-request-id': '1' }, body }];
      const error = await failure({});
      expect(light.isFairleadError(error, 'REQUEST_TIMEOUT')).toBe(true);
      expect(error).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' });
    });

    it('that redirects is not followed, since the body would go to another host', async () => {
      const elsewhere = await startScriptedService();
      service.answers = [{ status: 307, headers: { location: `${elsewhere.url}/take` } }];
      await expect(client().intents.createIntent({ body: intentBody })).rejects.toThrow();
      await expect(client().publisher.getPublisherHealth()).rejects.toThrow();
      expect(elsewhere.requests).toEqual([]);
      await elsewhere.stop();
    });

    it.each(['headers', 'body'] as const)(
      'that never ends its %s rejects with a TimeoutError',
      async (hangsAt) => {
        service.answers = [{ ...health, hangsAt }];
        const call = client({ timeoutMs: 100 }).publisher.getPublisherHealth();
        await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
      },
    );

    it.each([
      ['signal', (signal: AbortSignal) => ({ signal })],
      ['fetchOptions.signal', (signal: AbortSignal) => ({ fetchOptions: { signal } })],
    ] as const)('is not waited for once the %s of the call aborts', async (_name, withSignal) => {
      service.answers = [{ ...health, hangsAt: 'headers' }];
      const controller = new AbortController();
      const call = client().publisher.getPublisherHealth(withSignal(controller.signal));
      controller.abort(new Error('left the page'));
      await expect(call).rejects.toThrow('left the page');
      const late = client().publisher.getPublisherHealth(withSignal(controller.signal));
      await expect(late).rejects.toThrow('left the page');
    });
  });

  describe('429 and 503', () => {
    it.each([429, 503])('%i is retried after the wait that Retry-After asks for', async (status) => {
      service.answers = [busy(status, 3), health];
      expect(await client().publisher.getPublisherHealth()).toMatchObject({ status: 200 });
      expect(waits).toEqual([3_000]);
    });

    it('are returned after two retries, or after the configured number', async () => {
      service.answers = [busy(503, 1)];
      expect(await client().publisher.getPublisherHealth()).toMatchObject({ status: 503 });
      expect(service.requests).toHaveLength(3);
      await client({ retry: { retries: 4 } }).publisher.getPublisherHealth();
      expect(service.requests).toHaveLength(3 + 5);
    });

    it('are returned at once when the waits together would exceed maxWaitMs', async () => {
      service.answers = [busy(429, 6), busy(429, 6)];
      const answer = await client().publisher.getPublisherHealth();
      expect(answer).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', retryAfter: 6 } });
      expect(waits).toEqual([6_000]);
    });

    it('are returned at once without a Retry-After, or for other methods than those of retry.methods', async () => {
      service.answers = [{ status: 503, body: { code: 'NOT_READY', message: 'Later.', retryAfter: 1 } }];
      expect(await client().publisher.getPublisherHealth()).toMatchObject({ status: 503 });
      expect(service.requests.splice(0)).toHaveLength(1);
      service.answers = [busy(503, 1), busy(503, 1), intent];
      expect(await client().intents.createIntent({ body: intentBody })).toMatchObject({ status: 503 });
      const again = client({ retry: { methods: ['GET', 'post'] } });
      expect(await again.intents.createIntent({ body: intentBody })).toMatchObject({ status: 201 });
      expect(service.requests).toHaveLength(3);
    });

    it('are waited out by a timer that the signal of the call ends', async () => {
      const asksForAnHour = busy(503, 3_600);
      service.answers = [{ ...asksForAnHour, headers: { ...asksForAnHour.headers, ...limits(0) } }];
      const controller = new AbortController();
      const waiting = createClient(service.url, {
        retry: { maxWaitMs: 3_600_000 },
        onRateLimit: () => setImmediate(() => controller.abort(new Error('left the page'))),
      });
      const call = waiting.publisher.getPublisherHealth({ signal: controller.signal });
      await expect(call).rejects.toThrow('left the page');
      expect(service.requests).toHaveLength(1);
    });
  });

  it('tells onRateLimit the limit headers of every answer as numbers', async () => {
    const seen: unknown[] = [];
    const limited = busy(429, 2);
    const refused = { ...limited, headers: { ...limited.headers, ...limits(0) } };
    service.answers = [refused, { ...health, headers: limits(119) }, health];
    const told = client({ onRateLimit: (...args) => seen.push(args) });
    await told.publisher.getPublisherHealth();
    await told.publisher.getPublisherHealth();
    const limit = { limit: 120, resetEpochSeconds: 1_795_253_460 };
    const { operationId } = contract.publisher.getPublisherHealth.metadata;
    const first = { ...limit, remaining: 0, retryAfterSeconds: 2 };
    const second = { ...limit, remaining: 119, retryAfterSeconds: null };
    const of = (status: number) => ({ operationId, status });
    expect(seen.flat()).toEqual([first, of(429), second, of(200)]);
  });
});

describe('credentials', () => {
  const keys = { adminKey: 'the-admin-key', cronSecret: 'the-cron-secret' };
  const refused = { status: 401, body: { code: 'UNAUTHORIZED', message: 'Wrong.' } };
  const keyed = () => whole.createClient(service.url, keys);

  it('go only with the operations that take them', async () => {
    service.answers = [refused, refused, health];
    await keyed().adminDisputes.listDisputes();
    await keyed().publisher.tickPublisher();
    await keyed().publisher.getPublisherHealth();
    const sent = service.requests.map(({ headers }) => [headers['x-admin-key'], headers.authorization]);
    const none = undefined;
    expect(sent).toEqual([['the-admin-key', none], [none, 'Bearer the-cron-secret'], Array(2).fill(none)]);
    expect(service.requests[1]).toMatchObject({ body: '', headers: { 'content-length': '0' } });
  });

  it('are nothing that the light client knows, nor are the operations that take them', async () => {
    service.answers = [health];
    const client = light.createClient(service.url, { ...keys } as light.ClientOptions);
    await client.publisher.getPublisherHealth();
    expect(JSON.stringify(service.requests[0]?.headers)).not.toMatch(/the-(admin-key|cron-secret)/);
    expect(Object.keys(client)).not.toContain('adminDisputes');
    expect(Object.keys(client.publisher)).not.toContain('tickPublisher');
  });
});

it('a client has all operations of the contract', () => {
  const namesOf = (groups: object) =>
    Object.entries(groups).flatMap(([group, of]) => Object.keys(of).map((name) => `${group}.${name}`));
  expect(namesOf(whole.createClient('')).sort()).toEqual(namesOf(contract).sort());
});
