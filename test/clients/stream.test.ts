import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import * as light from '../../contract/client/index.js';
import { examples } from '../../contract/examples/index.js';
import * as whole from '../../contract/index.js';
import {
  breaks,
  ends,
  eventText,
  opens,
  scriptedService,
  startScriptedService,
} from '../fixtures/clients/scripted-service.js';
import { expectFor } from '../support/expect-for.js';

const service = scriptedService();
/** The waits before attempts to reconnect, in milliseconds. */
let waits: number[];
let states: light.StreamState[];
beforeEach(() => {
  waits = [];
  states = [];
});

const rates = examples.rates.getRates.answer;
const intent = examples.intents.getIntent.answer as light.IntentAnswer;
const params = { corridor: 'usdc-ngn' };
const ofIntent = { params: { intentHash: intent.intentHash } };
/** Events that differ in an amount, by which the tests name them. */
const ratesEvent = (amount: string) => eventText('rates', { ...rates, amount });
const intentEvent = (sellAmount: string) => eventText('intent', { ...intent, sellAmount });
const busy = (status: number, code: string, retryAfter: number) => ({
  status,
  body: { code, message: 'Later.', retryAfter },
  headers: { 'retry-after': String(retryAfter) },
});
const noWait = async (waitMs: number) => {
  waits.push(waitMs);
};

async function take<Event>(events: AsyncIterable<Event>, most = 100): Promise<Event[]> {
  const taken: Event[] = [];
  for await (const event of events) if (taken.push(event) === most) break;
  return taken;
}

const failureOf = (client: light.Client) =>
  take(client.rates.stream({ params })).catch((error: unknown) => error);

/** The amounts of the events. */
const amountsOf = (events: readonly (light.StreamRatesEvent | light.StreamIntentEvent)[]) =>
  events.map((event) => {
    if (event.event === 'problem') return event.data.code;
    return event.event === 'rates' ? event.data.amount : event.data.sellAmount;
  });

describe.each([
  ['@fairlead/contract', whole],
  ['@fairlead/contract/client', light],
] as const)('a stream of %s', (entry, { createClient, FairleadError, UnexpectedAnswerError }) => {
  const client = (options: light.ClientOptions = {}): light.Client =>
    createClient(service.url, { wait: noWait, ...options });
  const onState = (state: light.StreamState) => void states.push(state);

  describe('that is opened', () => {
    it('asks for events of its operation, with parameters and headers as every call', async () => {
      const problem = { code: 'RATES_UNAVAILABLE', message: 'No quotes.', retryAfter: 5, unavailable: [] };
      service.answers = [opens(ratesEvent('1') + eventText('problem', problem))];
      const stream = client({ headers: { 'x-app': 'wallet' } }).rates.stream(
        { params: { corridor: 'a/b' }, query: { amount: '1&2', sort: undefined } },
        { extraHeaders: { 'x-request-id': 'of-the-stream' } },
      );
      expect(service.requests).toHaveLength(0);
      const first = { event: 'rates', data: { ...rates, amount: '1' } };
      expect(await take(stream, 2)).toEqual([first, { event: 'problem', data: problem }]);
      const [connection] = service.requests;
      expect(connection?.url).toBe('/api/rates/a%2Fb/stream?amount=1%262');
      const accept = 'text/event-stream';
      const given = { 'x-app': 'wallet', 'x-request-id': 'of-the-stream' };
      expect(connection?.headers).toMatchObject({ accept, ...given });
    });
  });

  describe('that loses its connection', () => {
    it.each([
      ['breaks in the middle of an event', breaks(`${intentEvent('1')}${intentEvent('2').slice(0, -9)}`)],
      ['breaks between two events', breaks(intentEvent('1'))],
      ['is ended by the service, which asks for no pause', ends(`retry: 0\n\n${intentEvent('1')}`)],
    ])('connects anew where it %s, and goes on with the present state', async (_case, first) => {
      service.answers = [first, ends(intentEvent('3') + intentEvent('4')), opens('')];
      expect(amountsOf(await take(client().intents.stream(ofIntent), 3))).toEqual(['1', '3', '4']);
      expect(waits).toEqual([expect.any(Number)]);
      expect(waits[0]).toBeGreaterThanOrEqual(500);
    });

    it('tells nothing twice: a connection that begins with the last event adds nothing', async () => {
      const later = [ends(ratesEvent('1') + ratesEvent('2')), opens(ratesEvent('2') + ratesEvent('1'))];
      service.answers = [ends(ratesEvent('1')), breaks(ratesEvent('1')), ...later];
      expect(amountsOf(await take(client().rates.stream({ params }), 3))).toEqual(['1', '2', '1']);
      expect(waits).toHaveLength(3);
    });

    it('tells how it stands, and why it waits', async () => {
      service.answers = [ends(`retry: 2500\n\n${intentEvent('1')}`), opens(intentEvent('2'))];
      await take(client().intents.stream(ofIntent, { onState }), 2);
      const twice = [{ state: 'connecting' }, { state: 'live' }];
      const between = { state: 'waiting', waitMs: waits[0], cause: undefined };
      expect(states).toEqual([...twice, between, ...twice]);
      expect(waits[0]).toBeGreaterThanOrEqual(2_500);
      expect(waits[0]).toBeLessThanOrEqual(3_750);
    });

    it('waits longer with every failure in a row, and as at first after an event or a heartbeat', async () => {
      const failures = Array.from({ length: 8 }, () => ends(''));
      const alive = [ends(intentEvent('1')), ends(''), ends(': \n\n'), opens(intentEvent('2'))];
      service.answers = [ends('retry: 2000\n\n'), ...failures, ...alive];
      await take(client().intents.stream(ofIntent), 2);
      for (const [at, waitMs] of waits.entries()) {
        const spreadMs = Math.min(30_000, 2_000 * 2 ** ((at < 9 ? at : at === 10 ? 1 : 0) - 1));
        expectFor(`wait ${at}`, waitMs >= 2_000 && waitMs <= 2_000 + spreadMs).toBe(true);
      }
      expect(waits).toHaveLength(12);
    });

    it('keeps trying where nobody listens, and goes on once somebody does', async () => {
      const { port } = new URL(service.url);
      await service.stop();
      let refused = 0;
      const stream = createClient(`http://127.0.0.1:${port}`, {
        wait: async () => {
          refused += 1;
          if (refused === 3) await startScriptedService(Number(port), service);
          service.answers = [opens(ratesEvent('1'))];
        },
      }).rates.stream({ params }, { onState });
      expect(amountsOf(await take(stream, 1))).toEqual(['1']);
      expect(refused).toBe(3);
      expect(states[1]).toMatchObject({ state: 'waiting', cause: expect.any(TypeError) });
    });

    it.each([
      [429, 'RATE_LIMITED'],
      [503, 'NOT_READY'],
    ])('waits as an answer %i %s asks, whatever the retries of calls are', async (status, code) => {
      service.answers = [busy(status, code, 58), opens(ratesEvent('1'))];
      await take(client({ retry: false }).rates.stream({ params }, { onState }), 1);
      expect(waits[0]).toBeGreaterThanOrEqual(58_000);
      expect(waits[0]).toBeLessThan(60_000);
      const cause = states[1]?.state === 'waiting' ? states[1].cause : undefined;
      expect(cause).toBeInstanceOf(FairleadError);
      expect(cause).toMatchObject({ code, status, body: { retryAfter: 58 } });
    });

    it('connects anew where nothing arrives for too long, and not while heartbeats do', async () => {
      service.answers = [
        async (response) => {
          opens(ratesEvent('1'))(response);
          for (let beat = 0; beat < 6; beat += 1) {
            await delay(100);
            response.write(': \n\n');
          }
        },
        opens(ratesEvent('2')),
      ];
      const startedAt = Date.now();
      const stream = client().rates.stream({ params }, { silenceMs: 400, onState });
      expect(amountsOf(await take(stream, 2))).toEqual(['1', '2']);
      expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000);
      expect(states[2]).toMatchObject({ state: 'waiting', cause: { name: 'TimeoutError' } });
      await service.requests[0]?.closed;
    });
  });

  describe('that cannot go on', () => {
    it('throws the error of the service where waiting does not help', async () => {
      const codes = { 404: 'UNKNOWN_CORRIDOR', 400: 'INVALID_REQUEST', 422: 'UNSUPPORTED_PAIR' };
      for (const [status, code] of Object.entries(codes)) {
        service.answers = [{ status: Number(status), body: { code, message: 'No.' } }];
        const failure = await failureOf(client());
        expect(failure).toBeInstanceOf(FairleadError);
        expect(failure).toMatchObject({ code, status: Number(status) });
      }
      expect(waits).toEqual([]);
    });

    it('throws it after the events before it', async () => {
      const removed = { code: 'UNKNOWN_INTENT', message: 'Removed.' };
      service.answers = [ends(intentEvent('1')), { status: 404, body: removed }];
      const stream = client().intents.stream(ofIntent);
      expect((await stream.next()).value).toMatchObject({ event: 'intent' });
      await expect(stream.next()).rejects.toMatchObject({ code: 'UNKNOWN_INTENT' });
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    });

    it.each<[string, string | undefined, light.ClientOptions, light.StreamOptions]>([
      ['an address that is none', 'fairlead.example', {}, {}],
      ['an address with a port that is none', 'http://127.0.0.1:99999', {}, {}],
      ['an address with a password', 'http://reader:secret@127.0.0.1', {}, {}],
      ['the name of a header that is none', undefined, { headers: { 'x app': 'wallet' } }, {}],
      ['the value of a header that is none', undefined, {}, { extraHeaders: { 'x-app': 'a\nb' } }],
      ['an option that fetch does not know', undefined, {}, { fetchOptions: { mode: 'any' as 'cors' } }],
    ])('throws what is wrong with %s, and waits for nothing', async (_case, url, options, streamOptions) => {
      const wait = async (waitMs: number) => {
        waits.push(waitMs);
        throw new Error('the stream waits');
      };
      const { rates: of } = createClient(url ?? service.url, { wait, ...options });
      const stream = of.stream({ params }, { ...streamOptions, onState });
      await expect(stream.next()).rejects.toThrow(TypeError);
      expect(waits).toEqual([]);
      expect(service.requests).toEqual([]);
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    });

    it.each([
      ['a page', { status: 200, body: '<h1>Sign in</h1>', headers: { 'content-type': 'text/html' } }],
      ['JSON', { status: 200, body: rates }],
      ['an error that is not of the service', { status: 403, body: '<h1>Forbidden</h1>' }],
    ])('throws UnexpectedAnswerError at %s in place of a stream', async (_case, script) => {
      service.answers = [script];
      const failure = await failureOf(client());
      expect(failure).toBeInstanceOf(UnexpectedAnswerError);
      expect(failure).toMatchObject({ operationId: 'streamRates' });
    });

    it.each([
      ['is not JSON', 'event: rates\ndata: {\n\n'],
      ['is no object', 'event: rates\ndata: 7\n\n'],
      ['is a problem without a code', 'event: problem\ndata: {}\n\n'],
      ['never ends', `event: rates\ndata: ${'x'.repeat(2 ** 20)}`],
    ])('throws UnexpectedAnswerError at an event that %s', async (_case, text) => {
      service.answers = [opens(text)];
      expect(await failureOf(client())).toBeInstanceOf(UnexpectedAnswerError);
      await service.requests[0]?.closed;
    });

    it(`${entry.endsWith('client') ? 'does not look into' : 'throws UnexpectedAnswerError at'} data of another form than the contract has`, async () => {
      service.answers = [opens(eventText('rates', { ...rates, asOf: undefined }))];
      const events = take(client().rates.stream({ params }), 1);
      if (entry.endsWith('client')) expect(await events).toHaveLength(1);
      else await expect(events).rejects.toMatchObject({ operationId: 'streamRates', path: 'body.asOf' });
    });
  });

  describe('that is left', () => {
    it('closes its connection at once, on break as on return() while an event is waited for', async () => {
      service.answers = [opens(ratesEvent('1'))];
      await take(client().rates.stream({ params }), 1);
      await service.requests[0]?.closed;
      const stream = client().rates.stream({ params });
      await stream.next();
      const waited = stream.next();
      expect(await stream.return()).toEqual({ done: true, value: undefined });
      expect(await waited).toEqual({ done: true, value: undefined });
      await service.requests[1]?.closed;
    });
  });

  describe('whose signal aborts', () => {
    const left = new Error('left the page');

    it('throws the reason while an event is waited for, and closes its connection', async () => {
      service.answers = [opens(ratesEvent('1'))];
      const controller = new AbortController();
      const stream = client().rates.stream({ params }, { signal: controller.signal });
      await stream.next();
      const waited = stream.next();
      controller.abort(left);
      await expect(waited).rejects.toBe(left);
      await service.requests[0]?.closed;
    });

    it('throws the reason while it waits to reconnect', async () => {
      service.answers = [busy(503, 'NOT_READY', 60)];
      const controller = new AbortController();
      const abort = ({ state }: light.StreamState) =>
        state === 'waiting' && setImmediate(() => controller.abort(left));
      const options = { signal: controller.signal, onState: abort };
      const stream = createClient(service.url).rates.stream({ params }, options);
      await expect(stream.next()).rejects.toBe(left);
    });
  });
});
