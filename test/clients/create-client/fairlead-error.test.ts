import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createClient,
  FairleadError,
  type GetRatesResult,
  isFairleadError,
  unwrap,
} from '../../../contract/client/index.js';
import { examples } from '../../../contract/examples/index.js';
import { type ScriptedService, startScriptedService } from './scripted-service.js';

let service: ScriptedService;
beforeEach(async () => {
  service = await startScriptedService();
});
afterEach(() => service.stop());

const rates = (): Promise<GetRatesResult> =>
  createClient(service.url, { retry: false }).rates.getRates({ params: { corridor: 'usdc-ngn' } });
const limited = { code: 'RATE_LIMITED', message: 'Too many requests.', retryAfter: 17 };

describe('unwrap', () => {
  it('gives the body of a success', async () => {
    service.answers = [{ status: 200, body: examples.rates.getRates.answer }];
    const body = unwrap(await rates());
    expect(body.quotes).toEqual(examples.rates.getRates.answer.quotes);
  });

  it('throws an error with code, status, body and headers', async () => {
    service.answers = [{ status: 429, headers: { 'retry-after': '17' }, body: limited }];
    const error = await rates()
      .then(unwrap)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FairleadError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'FairleadError',
      message: 'Too many requests.',
      code: 'RATE_LIMITED',
      status: 429,
      body: limited,
    });
    expect((error as FairleadError).headers.get('retry-after')).toBe('17');
  });
});

describe('isFairleadError', () => {
  const error: unknown = new FairleadError({
    status: 429,
    body: { ...limited, code: 'RATE_LIMITED' },
    headers: new Headers(),
  });

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
