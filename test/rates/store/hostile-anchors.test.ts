import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { ratesAnswer, type UnavailableReason } from '../../../contract/schemas/rates.js';
import { answerJson, answerText, startHostileAnchor } from '../../fixtures/rates/hostile-anchor.js';
import { type RatesService, startRatesService } from '../../fixtures/rates/rates-service.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
const usdc = 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const tomlPath = '/.well-known/stellar.toml';
const pricePath = '/sep38/price';
const goodPrice = { total_price: '0.0006', price: '0.0006', sell_amount: '100', buy_amount: '160000.5' };
const running: RatesService[] = [];

const [honest, hostile, bystander] = await Promise.all([
  startHostileAnchor(),
  startHostileAnchor(),
  startHostileAnchor(),
]);
afterEach(async () => {
  for (const each of running.splice(0)) {
    // Discovery results of one test must not reach the next.
    await each.connection.collection('anchors').deleteMany({});
    await each.close();
  }
  for (const each of [honest, hostile, bystander]) {
    each.seen.length = 0;
    each.routes = {};
  }
});
afterAll(() => Promise.all([honest, hostile, bystander].map((each) => each.stop())));

interface Setup {
  /** Fields of the hostile anchor in the fleet file. */
  anchor?: object;
  env?: Record<string, string>;
  fxUrl?: string;
}

async function reasonFor(service: RatesService): Promise<UnavailableReason | 'quoted'> {
  const { answer } = await service.rates.quote('usdc-ngn', {});
  expect(ratesAnswer.parse(answer)).toEqual(answer);
  expect(answer.quotes.map(({ anchorId }) => anchorId)).toContain('honest');
  expect(answer.best).toEqual({ anchorId: 'honest' });
  return answer.unavailable.find(({ anchorId }) => anchorId === 'hostile')?.reason ?? 'quoted';
}

/** Writes for as long as somebody reads. */
function endless(text: string, times: number, everyMs: number): RequestListener {
  return (_req, res) => {
    const timer = setInterval(() => {
      for (let i = 0; i < times; i += 1) res.write(text);
    }, everyMs);
    res.on('close', () => clearInterval(timer));
  };
}

function compressed(body: Buffer | string): RequestListener {
  return (_req, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
}

const cutShort: RequestListener = (_req, res) => {
  res.writeHead(200, { 'content-length': '500' }).write('{"sell_');
  setTimeout(() => res.destroy(), 20);
};

describe('a hostile price', () => {
  it.each<[string, UnavailableReason, RequestListener]>([
    ['an endless body', 'malformed', endless(' '.repeat(1_024), 64, 1)],
    ['an endless body in drops', 'timeout', endless(' ', 1, 20)],
    ['a compressed bomb', 'malformed', compressed(gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20)))],
    ['a compression that is none', 'malformed', compressed('{}')],
    ['a connection cut in the middle', 'malformed', cutShort],
    ['a page of HTML', 'malformed', answerText('<!doctype html><h1>It works</h1>')],
    ['brackets nested for ever', 'malformed', answerText('['.repeat(60_000))],
    ['a contradiction', 'malformed', answerJson({ ...goodPrice, buy_amount: '260000' })],
    ['a prototype', 'malformed', answerText('{"__proto__":{"sell_amount":"100","buy_amount":"999999"}}')],
    ['500', 'error', answerText('<html>', 500)],
    ['a demand for a token', 'unauthorized', answerJson({ error: 'forbidden' }, 403)],
  ])('(%s) removes only that quote from the answer, with the reason %s', async (_name, reason, route) => {
    hostile.routes[pricePath] = route;
    expect(await reasonFor(await start())).toBe(reason);
  });

  it.each([
    [pricePath, { ...goodPrice, buy_amount: '160000,5' }, 'price', 'buy_amount is no amount'],
    [
      '/sep24/info',
      { withdraw: { USDC: { fee_percent: '1,5' } } },
      'info',
      'withdraw.USDC.fee_percent is no number',
    ],
  ])('of %s names the member that cannot be read', async (path, answer, document, what) => {
    hostile.routes[path] = answerJson(answer);
    const endpoints =
      document === 'price'
        ? { quoteServer: `${hostile.origin}/sep38` }
        : { transferServerSep24: `${hostile.origin}/sep24` };
    const service = await start({ anchor: { endpoints } });
    expect(await reasonFor(service)).toBe('malformed');
    const { unreadable } = await service.directory.getAnchor('hostile');
    expect(unreadable).toMatchObject([{ document, what: expect.stringContaining(what) }]);
  });

  it('is not followed to a private address by a redirect', async () => {
    hostile.routes[pricePath] = (_req, res) => {
      res.writeHead(302, { location: `${bystander.origin}/sep38/price` }).end();
    };
    bystander.routes[pricePath] = answerJson(goodPrice);
    expect(await reasonFor(await start())).toBe('error');
    expect(bystander.seen).toEqual([]);
  });
});

describe('a hostile stellar.toml', () => {
  const discovered = () => ({ anchor: { endpoints: undefined, homeDomain: hostile.origin } });

  it('is read only up to its size limit if it is a gigabyte long', async () => {
    let sentBytes = 0;
    const megabyte = Buffer.alloc(1_048_576, 0x23);
    hostile.routes[tomlPath] = (_req, res) => {
      res.writeHead(200, { 'content-length': String(1_024 * megabyte.length) });
      const more = () => {
        while (sentBytes < 1_024 * megabyte.length) {
          sentBytes += megabyte.length;
          if (!res.write(megabyte)) return void res.once('drain', more);
        }
      };
      more();
    };
    expect(await reasonFor(await start(discovered()))).toBe('malformed');
    expect(sentBytes).toBeLessThan(64 * 1_048_576);
  });

  it.each<[string, UnavailableReason, string]>([
    ['no TOML', 'malformed', '<html>'],
    ['no server at all', 'not_served', 'VERSION = "2.7.0"'],
    ['a server of another scheme', 'not_served', 'ANCHOR_QUOTE_SERVER = "file:///etc/passwd"'],
  ])('with %s gives the reason %s', async (_name, reason, toml) => {
    hostile.routes[tomlPath] = answerText(toml);
    expect(await reasonFor(await start(discovered()))).toBe(reason);
  });

  it('cannot send a request to a private address', async () => {
    bystander.routes[pricePath] = answerJson(goodPrice);
    hostile.routes[tomlPath] = answerText(`ANCHOR_QUOTE_SERVER = "${bystander.origin}/sep38"`);
    expect(await reasonFor(await start(discovered()))).toBe('blocked');
    hostile.routes[tomlPath] = answerText('ANCHOR_QUOTE_SERVER = "http://169.254.169.254/latest"');
    const service = await start(discovered());
    await service.cacheEpoch.empty();
    expect(await reasonFor(service)).toBe('blocked');
    expect(bystander.seen).toEqual([]);
  });

  it('cannot get the partner token sent to another origin', async () => {
    const partnerToken = { env: 'HOSTILE_TOKEN', origin: hostile.origin };
    const setup = { anchor: { ...discovered().anchor, partnerToken }, env: { HOSTILE_TOKEN: 'precious' } };
    hostile.routes[pricePath] = answerJson({ ...goodPrice, buy_amount: '159000' });
    hostile.routes[tomlPath] = answerText(`ANCHOR_QUOTE_SERVER = "${hostile.origin}/sep38"`);
    await reasonFor(await start(setup));
    expect(hostile.seen.find(({ url }) => url.startsWith(pricePath))?.authorization).toBe('Bearer precious');

    const moved = await start(setup);
    hostile.routes[tomlPath] = answerText(`ANCHOR_QUOTE_SERVER = "${honest.origin}/elsewhere"`);
    await moved.cacheEpoch.empty();
    await reasonFor(moved);
    const elsewhere = honest.seen.filter(({ url }) => url.startsWith('/elsewhere'));
    expect(elsewhere).toHaveLength(1);
    expect(honest.seen.map(({ authorization }) => authorization).filter(Boolean)).toEqual([]);
    expect(
      hostile.seen
        .filter(({ url }) => url.startsWith(tomlPath))
        .every((each) => each.authorization === undefined),
    ).toBe(true);
  });
});

describe('a hostile /info', () => {
  const feeOnly = () => ({
    anchor: { endpoints: { transferServerSep24: `${hostile.origin}/sep24` } },
    fxUrl: `${honest.origin}/fx`,
  });

  it.each<[string, UnavailableReason | 'quoted', RequestListener]>([
    ['a fee', 'quoted', answerJson({ withdraw: { USDC: { enabled: true, fee_fixed: 1, fee_percent: 1 } } })],
    ['a negative fee', 'malformed', answerJson({ withdraw: { USDC: { enabled: true, fee_fixed: -50 } } })],
    ['no fee', 'not_served', answerJson({ withdraw: { USDC: { enabled: true } } })],
    ['a fee over the amount', 'refused_amount', answerJson({ withdraw: { USDC: { fee_fixed: 1e12 } } })],
    ['a list', 'malformed', answerJson([])],
    ['an endless text', 'malformed', answerText('x'.repeat(300 * 1_024))],
    ['500', 'error', answerText('', 500)],
  ])('with %s gives %s', async (_name, reason, route) => {
    honest.routes['/fx'] = answerJson({ base: 'USD', date: new Date().toISOString(), rates: { NGN: 1500 } });
    hostile.routes['/sep24/info'] = route;
    expect(await reasonFor(await start(feeOnly()))).toBe(reason);
  });

  it('that fails over SEP-24 is not hidden by one that is missing over SEP-6', async () => {
    hostile.routes['/sep24/info'] = answerText('', 500);
    hostile.routes['/sep6/info'] = answerText('', 404);
    const { anchor, fxUrl } = feeOnly();
    const endpoints = { ...anchor.endpoints, transferServerSep6: `${hostile.origin}/sep6` };
    expect(await reasonFor(await start({ anchor: { endpoints }, fxUrl }))).toBe('error');
  });
});

/** One honest anchor and one hostile; the bystander's origin is not in OUTBOUND_ALLOW. */
async function start({ anchor = {}, env = {}, fxUrl }: Setup = {}) {
  honest.routes[pricePath] = answerJson(goodPrice);
  const corridor = {
    id: 'usdc-ngn',
    sellAsset: usdc,
    buyAsset: 'iso4217:NGN',
    referenceAmount: '100',
    min: '10',
    max: '10000',
    speedTargetSeconds: 600,
    overdueAfterSeconds: 86_400,
  };
  const corridors = [{ id: 'usdc-ngn', deliveryMethods: ['bank_account'] }];
  const endpoints = (origin: string) => ({ quoteServer: `${origin}/sep38` });
  const fleet = {
    corridors: [corridor],
    anchors: [
      { id: 'honest', name: 'Honest', endpoints: endpoints(honest.origin), corridors },
      { id: 'hostile', name: 'Hostile', endpoints: endpoints(hostile.origin), corridors, ...anchor },
    ],
  };
  const allow = [honest.origin, hostile.origin];
  const service = await startRatesService({ uri: database.uri, fleet, allow, env, fxUrl });
  running.push(service);
  return service;
}
