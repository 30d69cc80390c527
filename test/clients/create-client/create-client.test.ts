import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ClientOptions,
  createClient,
  UnexpectedAnswerError,
} from '../../../contract/client/create-client.js';
import { contract } from '../../../contract/contract.js';
import { examples } from '../../../contract/examples/index.js';
import { type ScriptedService, startScriptedService } from './scripted-service.js';

let service: ScriptedService;
/** The waits between attempts that clients of this file asked for, in milliseconds. */
let waits: number[];

beforeEach(async () => {
  service = await startScriptedService();
  waits = [];
});
afterEach(() => service.stop());

const client = (options: ClientOptions = {}) =>
  createClient(service.url, {
    wait: async (waitMs) => {
      waits.push(waitMs);
    },
    ...options,
  });

const health = { status: 200, body: examples.publisher.getPublisherHealth.answer };
const intent = { status: 201, body: examples.intents.createIntent.answer };
const intentBody = examples.intents.createIntent.body;
const busy = (status: number, retryAfter: number) => ({
  status,
  headers: { 'retry-after': String(retryAfter) },
  body: { code: status === 429 ? 'RATE_LIMITED' : 'NOT_READY', message: 'Later.', retryAfter },
});

describe('a request', () => {
  it('goes to the path of its operation, whether the base address ends in a slash or not', async () => {
    service.answers = [health];
    await client().publisher.getPublisherHealth();
    await createClient(`${service.url}//`).publisher.getPublisherHealth();
    expect(service.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/publisher/health',
      'GET /api/publisher/health',
    ]);
  });

  it('encodes path and query values, and leaves absent ones out', async () => {
    service.answers = [{ status: 404, body: { code: 'UNKNOWN_CORRIDOR', message: 'No such corridor.' } }];
    await client().rates.getRates({
      params: { corridor: 'a/../b?c#d' },
      query: { amount: '1&2', deliveryMethod: undefined },
    });
    expect(service.requests[0]?.url).toBe('/api/rates/a%2F..%2Fb%3Fc%23d?amount=1%262');
  });

  it.each(['', '.', '..'])(
    "is not sent with the path parameter '%s', which names another operation",
    async (anchor) => {
      await expect(client().anchors.getAnchor({ params: { anchor } })).rejects.toThrow(RangeError);
      expect(service.requests).toEqual([]);
    },
  );

  it('carries the headers of the client, and those of the call over them', async () => {
    service.answers = [health];
    const given = client({ headers: { 'X-Request-Id': 'of-the-client', 'X-App': 'wallet' } });
    await given.publisher.getPublisherHealth({ extraHeaders: { 'x-request-id': 'of-the-call' } });
    expect(service.requests[0]?.headers).toMatchObject({ 'x-request-id': 'of-the-call', 'x-app': 'wallet' });
  });

  it('carries JSON with its content type, and no body when the call has none', async () => {
    service.answers = [intent];
    await client().intents.createIntent({ body: intentBody });
    await client()
      .publisher.tickPublisher()
      .catch(() => undefined);
    expect(service.requests[0]?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(intentBody);
    expect(service.requests[1]).toMatchObject({ body: '', headers: { 'content-length': '0' } });
  });

  it('is sent by the fetch it is given', async () => {
    const seen: unknown[] = [];
    const sends: typeof fetch = async (input) => {
      seen.push(input);
      return Response.json(health.body);
    };
    const answer = await createClient('', { fetch: sends }).publisher.getPublisherHealth();
    expect(seen).toEqual(['/api/publisher/health']);
    expect(answer).toMatchObject({ status: 200, body: health.body });
  });
});

describe('credentials', () => {
  const keys = { adminKey: 'the-admin-key', cronSecret: 'the-cron-secret' };
  const refused = { status: 401, body: { code: 'UNAUTHORIZED', message: 'Wrong.' } };

  it('go only with the operations that take them', async () => {
    service.answers = [refused, refused, health];
    const keyed = client(keys);
    await keyed.adminDisputes.listDisputes();
    await keyed.publisher.tickPublisher();
    await keyed.publisher.getPublisherHealth();
    const sent = service.requests.map(({ headers }) => [headers['x-admin-key'], headers.authorization]);
    expect(sent).toEqual([
      ['the-admin-key', undefined],
      [undefined, 'Bearer the-cron-secret'],
      [undefined, undefined],
    ]);
  });

  it('are not sent to the target of a redirect', async () => {
    const elsewhere = await startScriptedService();
    service.answers = [{ status: 307, headers: { location: `${elsewhere.url}/take` } }];
    await expect(client(keys).adminDisputes.listDisputes()).rejects.toThrow();
    await expect(client(keys).publisher.tickPublisher()).rejects.toThrow();
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  });
});

describe('an answer', () => {
  it.each([
    [
      'a page of a proxy at a listed status',
      { status: 503, headers: { 'content-type': 'text/html' }, body: '<h1>' },
    ],
    ['a success that is no JSON', { status: 200, body: 'ok' }],
    ['a status that the operation does not list', { status: 404, body: { code: 'NOT_FOUND', message: '' } }],
    ['an error without a code', { status: 500, body: { error: 'boom' } }],
  ])('rejects where it is %s', async (_, answer) => {
    service.answers = [answer];
    const failure = await client({ retry: false })
      .publisher.getPublisherHealth()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnexpectedAnswerError);
    expect(failure).toMatchObject({
      operationId: 'getPublisherHealth',
      status: answer.status,
      body: answer.body,
    });
  });

  it.each(['headers', 'body'] as const)(
    'that never ends its %s rejects with a TimeoutError',
    async (hangsAt) => {
      service.answers = [{ ...health, hangsAt }];
      const call = client({ timeoutMs: 100 }).publisher.getPublisherHealth();
      await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
    },
  );

  it('is not waited for once the signal of the call aborts', async () => {
    service.answers = [{ ...health, hangsAt: 'headers' }];
    const controller = new AbortController();
    const call = client().publisher.getPublisherHealth({ fetchOptions: { signal: controller.signal } });
    controller.abort(new Error('left the page'));
    await expect(call).rejects.toThrow('left the page');
    const late = client().publisher.getPublisherHealth({ fetchOptions: { signal: controller.signal } });
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

  it('are returned at once without a Retry-After', async () => {
    service.answers = [{ status: 503, body: { code: 'NOT_READY', message: 'Later.' } }];
    expect(await client().publisher.getPublisherHealth()).toMatchObject({ status: 503 });
    expect(service.requests).toHaveLength(1);
  });

  it('are returned at once for other methods than GET, unless retry.methods names them', async () => {
    service.answers = [busy(503, 1), busy(503, 1), intent];
    expect(await client().intents.createIntent({ body: intentBody })).toMatchObject({ status: 503 });
    const again = client({ retry: { methods: ['GET', 'POST'] } });
    expect(await again.intents.createIntent({ body: intentBody })).toMatchObject({ status: 201 });
    expect(service.requests).toHaveLength(3);
  });

  it('are returned at once with retry: false', async () => {
    service.answers = [busy(503, 1)];
    expect(await client({ retry: false }).publisher.getPublisherHealth()).toMatchObject({ status: 503 });
    expect(service.requests).toHaveLength(1);
  });

  it('are waited out by a timer that the signal of the call ends', async () => {
    const asksForAnHour = busy(503, 3_600);
    service.answers = [{ ...asksForAnHour, headers: { ...asksForAnHour.headers, ...limits(0) } }];
    const controller = new AbortController();
    const waiting = createClient(service.url, {
      retry: { maxWaitMs: 3_600_000 },
      onRateLimit: () => setImmediate(() => controller.abort(new Error('left the page'))),
    });
    const call = waiting.publisher.getPublisherHealth({ fetchOptions: { signal: controller.signal } });
    await expect(call).rejects.toThrow('left the page');
    expect(service.requests).toHaveLength(1);
  });
});

const limits = (remaining: number) => ({
  'x-ratelimit-limit': '120',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': '1795253460',
});

describe('onRateLimit', () => {
  it('is told the limit headers of every answer as numbers', async () => {
    const seen: unknown[] = [];
    const limited = busy(429, 2);
    service.answers = [
      { ...limited, headers: { ...limited.headers, ...limits(0) } },
      { ...health, headers: limits(119) },
      health,
    ];
    const told = client({ onRateLimit: (...args) => seen.push(args) });
    await told.publisher.getPublisherHealth();
    await told.publisher.getPublisherHealth();
    const limit = { limit: 120, resetEpochSeconds: 1_795_253_460 };
    const { operationId } = contract.publisher.getPublisherHealth.metadata;
    expect(seen).toEqual([
      [
        { ...limit, remaining: 0, retryAfterSeconds: 2 },
        { operationId, status: 429 },
      ],
      [
        { ...limit, remaining: 119, retryAfterSeconds: null },
        { operationId, status: 200 },
      ],
    ]);
  });
});
