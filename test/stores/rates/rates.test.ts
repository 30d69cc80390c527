import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ratesAnswer } from '../../../contract/rates.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { testDatabase } from '../../helpers/database.js';
import { type HarnessOptions, type RatesHarness, startRatesHarness } from '../../helpers/rates-harness.js';

const database = testDatabase();
const price = 'GET /sep38/price';
const world = { now: Date.now() };
const ngnAnchors = ['harbour', 'slowboat', 'squall', 'galleon', 'ferry', 'tidewater'];

let simulated: SimulatedAnchors;
let harness: RatesHarness;
const running: RatesHarness[] = [];

beforeAll(async () => {
  // Ten minutes into the cycle of tidewater, which is out of service for the first five of every forty.
  world.now += 600_000 - (world.now % 2_400_000);
  simulated = await startSimulatedAnchors({ clock: () => world.now, random: () => 0.5, latencyFactor: 0 });
});
afterAll(() => simulated.stop());
beforeEach(async () => {
  harness = await start();
  await Promise.all(ngnAnchors.map((id) => harness.directory.endpointsOf(id)));
  for (const each of [...simulated.anchors, simulated.fx]) each.resetCalls();
});
afterEach(async () => {
  for (const each of running.splice(0)) await each.close();
  for (const each of simulated.anchors) each.override('*', null);
  for (const each of simulated.anchors) each.override(price, null);
});

async function start(patch: Partial<HarnessOptions> = {}) {
  const { fleet, allow, env, fxUrl } = simulated;
  const started = await startRatesHarness({ uri: database.uri, fleet, allow, env, fxUrl, world, ...patch });
  running.push(started);
  return started;
}

function callsTo(id: string, route = price): number {
  return simulated.anchor(id).calls[route] ?? 0;
}

/** Joins the background refresh of an amount, if there is one, and lets it come to its end. */
async function refreshed(rates: RatesHarness['rates'], amount?: string): Promise<void> {
  await rates.quote('usdc-ngn', amount === undefined ? {} : { amount }, { maxAgeMs: 10_000 });
}

const quoteNgn = (request: { amount?: string; deliveryMethod?: string } = {}) =>
  harness.rates.quote('usdc-ngn', request).then(({ answer }) => answer);

describe('the rates of a corridor', () => {
  it('come from every anchor over HTTP, ranked, each in its own way', async () => {
    const answer = await quoteNgn();
    expect(ratesAnswer.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({ corridor: 'usdc-ngn', amount: '100', stale: false, unavailable: [] });
    const by = Object.fromEntries(answer.quotes.map((quote) => [quote.anchorId, quote]));
    expect(Object.keys(by).sort()).toEqual([...ngnAnchors].sort());
    expect(by.harbour).toMatchObject({ tier: 'anchor', adjusted: false, simulated: true, estimate: null });
    expect(by.harbour?.sep38).not.toBeNull();
    expect(by.galleon).toMatchObject({ tier: 'anchor', fee: null, sep38: { totalPrice: null } });
    expect(by.galleon?.receiveAmount).toMatch(/^\d+(\.\d{1,2})?$/);
    expect(by.ferry).toMatchObject({
      tier: 'estimate',
      sep38: null,
      fee: { total: '2' },
      deliveryMethod: 'cash',
    });
    expect(answer.quotes.at(-1)?.anchorId).toBe('ferry');
    expect(answer.best).toEqual({ anchorId: answer.quotes[0]?.anchorId });
    const rates = answer.quotes.slice(0, -1).map((quote) => Number(quote.rate));
    expect(rates).toEqual([...rates].sort((a, b) => b - a));
  });

  it('put adjusted amounts after exact ones', async () => {
    const { answer } = await harness.rates.quote('usdc-zar', { amount: '500' });
    const windlass = answer.quotes.find((quote) => quote.anchorId === 'windlass');
    expect(windlass).toMatchObject({ adjusted: true });
    expect(windlass?.sellAmount).not.toBe('500');
    expect(answer.quotes.findIndex((quote) => quote.adjusted)).toBe(answer.quotes.length - 1);
  });

  it('tell the country to anchors where the corridor is told by it', async () => {
    const { answer } = await harness.rates.quote('usdc-xof-sn', {});
    expect(answer.quotes.length).toBeGreaterThan(0);
    const asked = simulated.anchor('tidewater').seen.filter(({ route }) => route === price);
    expect(asked.at(-1)?.url).toContain('country_code=SN');
  });

  it('ask only anchors that offer the delivery method, and say of the others that they do not', async () => {
    const answer = await quoteNgn({ deliveryMethod: 'cash' });
    expect(answer.quotes.map((quote) => [quote.anchorId, quote.deliveryMethod]).sort()).toEqual([
      ['ferry', 'cash'],
      ['tidewater', 'cash'],
    ]);
    expect(answer.unavailable).toContainEqual({ anchorId: 'harbour', reason: 'not_served' });
    expect(callsTo('harbour')).toBe(0);
    expect(await quoteNgn({ deliveryMethod: 'pigeon' })).toMatchObject({ best: null, quotes: [] });
  });

  it('show what the record of shortfalls makes of the promise', async () => {
    const scored = await start({
      reputationOf: (anchorId) =>
        anchorId === 'harbour'
          ? { score: '91.37', state: 'scored', outcomes: 412, meanShortfall: '0.01' }
          : { score: null, state: 'insufficient_data', outcomes: 0, meanShortfall: null },
    });
    const { answer } = await scored.rates.quote('usdc-ngn', {});
    const harbour = answer.quotes.find((quote) => quote.anchorId === 'harbour');
    expect(harbour?.reputation).toEqual({ score: '91.37', state: 'scored', outcomes: 412 });
    expect(Number(harbour?.expectedReceive)).toBeCloseTo(Number(harbour?.receiveAmount) * 0.99, 1);
    const ferry = answer.quotes.find((quote) => quote.anchorId === 'ferry');
    expect(ferry?.expectedReceive).toBe(ferry?.receiveAmount);
  });

  it('of an unknown corridor, or beyond its limits, are refused', async () => {
    await expect(harness.rates.quote('usdc-zzz', {})).rejects.toMatchObject({ code: 'UNKNOWN_CORRIDOR' });
    for (const amount of ['9.9999999', '10000.01']) {
      await expect(quoteNgn({ amount })).rejects.toMatchObject({ code: 'AMOUNT_OUT_OF_RANGE' });
    }
    expect(callsTo('harbour')).toBe(0);
  });

  it('are a 422 where every anchor refuses the amount', async () => {
    for (const each of simulated.anchors) {
      each.override(price, (_req, res) => {
        res.writeHead(400).end('{"error":"amount is below the minimum"}');
      });
    }
    // ferry takes 2,500 at most.
    await expect(quoteNgn({ amount: '5000' })).rejects.toMatchObject({ code: 'AMOUNT_OUT_OF_RANGE' });
  });
});

describe('the cache', () => {
  it('makes 1,000 concurrent cold requests one call per anchor', async () => {
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => quoteNgn({ amount: '250' })));
    expect(new Set(answers).size).toBe(1);
    expect(['harbour', 'slowboat', 'squall', 'galleon', 'tidewater'].map((id) => callsTo(id))).toEqual([
      1, 1, 1, 1, 1,
    ]);
    expect(callsTo('ferry', 'GET /sep24/info')).toBe(1);
    expect(simulated.fx.calls['GET /fx']).toBe(1);
  });

  it('knows one amount by all its spellings', async () => {
    await Promise.all(['250', '250.0', '250.0000000'].map((amount) => quoteNgn({ amount })));
    expect(callsTo('harbour')).toBe(1);
  });

  it('answers alike for 15 s, stale with one refresh behind it up to 60 s, and anew after that', async () => {
    const first = await harness.rates.quote('usdc-ngn', {});
    expect(first.freshForMs).toBe(15_000);
    world.now += 14_999;
    const still = await harness.rates.quote('usdc-ngn', {});
    expect(still).toEqual({ answer: first.answer, freshForMs: 1 });
    expect(callsTo('harbour')).toBe(1);

    world.now += 2;
    const stale = await Promise.all(Array.from({ length: 50 }, () => quoteNgn()));
    expect(stale.every((answer) => answer.stale && answer.asOf === first.answer.asOf)).toBe(true);
    await vi.waitFor(async () => expect((await quoteNgn()).stale).toBe(false), { timeout: 10_000 });
    expect(callsTo('harbour')).toBe(2);
    expect(await quoteNgn()).toMatchObject({ stale: false, asOf: new Date(world.now).toISOString() });

    world.now += 60_000;
    expect(await quoteNgn()).toMatchObject({ stale: false, asOf: new Date(world.now).toISOString() });
    expect(callsTo('harbour')).toBe(3);
  });

  it('asks again at once after an invalidation of this corridor, and not after one of another', async () => {
    const first = await quoteNgn();
    await harness.epochs.invalidate('rates', 'usdc-kes');
    expect(await quoteNgn()).toBe(first);
    const { droppedEntries } = await harness.epochs.invalidate('rates', 'usdc-ngn');
    expect(droppedEntries).toBeGreaterThanOrEqual(1 + ngnAnchors.length);
    expect(await quoteNgn()).not.toBe(first);
    expect(callsTo('harbour')).toBe(2);
  });

  it('does not keep what was begun before an invalidation', async () => {
    let release = () => {};
    simulated.anchor('harbour').override(price, async (_req, res) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      res.writeHead(200).end('{"sell_amount":"100","buy_amount":"1"}');
    });
    const before = quoteNgn();
    await vi.waitFor(() => expect(callsTo('harbour')).toBe(1), { timeout: 10_000 });
    await harness.epochs.invalidate('rates', undefined);
    simulated.anchor('harbour').override(price, null);
    const after = await quoteNgn();
    release();
    const old = await before;
    const receive = (answer: typeof old) =>
      answer.quotes.find(({ anchorId }) => anchorId === 'harbour')?.receiveAmount;
    expect(receive(old)).toBe('1');
    expect(receive(after)).not.toBe('1');
    expect(await quoteNgn()).toBe(after);
  });
});

describe('an anchor that fails', () => {
  it('costs the answer its own row and nothing else, and is named with the reason', async () => {
    simulated.anchor('harbour').override(price, (_req, res) => void res.writeHead(500).end('<html>'));
    const answer = await quoteNgn();
    expect(answer.unavailable).toEqual([{ anchorId: 'harbour', reason: 'error' }]);
    expect(answer.quotes).toHaveLength(ngnAnchors.length - 1);
  });

  it('leaves the answer as fresh as its quotes are, though it is asked for again sooner', async () => {
    simulated.anchor('harbour').override(price, (_req, res) => void res.writeHead(500).end('<html>'));
    const { freshForMs } = await harness.rates.quote('usdc-ngn', {});
    world.now += 6_000;
    simulated.anchor('harbour').override(price, null);
    expect(freshForMs).toBe(15_000);
    expect((await harness.rates.quote('usdc-ngn', {})).freshForMs).toBe(9_000);
    await vi.waitFor(async () => expect((await quoteNgn()).unavailable).toEqual([]));
  });

  it('and hangs is given up after 2 s', async () => {
    simulated.anchor('harbour').override(price, () => {});
    const startedAt = performance.now();
    const answer = await quoteNgn();
    const elapsedMs = performance.now() - startedAt;
    expect(answer.unavailable).toEqual([{ anchorId: 'harbour', reason: 'timeout' }]);
    expect(elapsedMs).toBeGreaterThan(1_900);
    expect(elapsedMs).toBeLessThan(3_000);
  });

  it('five times in a row is left alone, and comes back by one trial', async () => {
    simulated.anchor('harbour').override(price, (_req, res) => void res.writeHead(503).end());
    for (let i = 0; i < 5; i += 1) {
      await quoteNgn({ amount: String(200 + i) });
    }
    const answer = await quoteNgn({ amount: '300' });
    expect(answer.unavailable).toEqual([{ anchorId: 'harbour', reason: 'circuit_open' }]);
    expect(callsTo('harbour')).toBe(5);
    simulated.anchor('harbour').override(price, null);
    world.now += 10_000;
    expect((await quoteNgn({ amount: '301' })).unavailable).toEqual([]);
    expect((await quoteNgn({ amount: '302' })).unavailable).toEqual([]);
  });

  it('is never taken off by refusing amounts', async () => {
    simulated.anchor('harbour').override(price, (_req, res) => {
      res.writeHead(400).end('{"error":"amount is below the minimum"}');
    });
    for (let i = 0; i < 10; i += 1) {
      const answer = await quoteNgn({ amount: String(400 + i) });
      expect(answer.unavailable).toEqual([{ anchorId: 'harbour', reason: 'refused_amount' }]);
    }
  });

  it('as all the others do: the old answer stands for a minute, then 503 with a time to come back', async () => {
    const first = await quoteNgn();
    for (const each of simulated.anchors) each.override('*', (_req, res) => void res.writeHead(500).end());
    await harness.epochs.invalidate('fx', undefined);
    simulated.fx.override('*', (_req, res) => void res.writeHead(500).end());
    world.now += 30_000;
    expect(await quoteNgn()).toMatchObject({ stale: true, asOf: first.asOf });
    await refreshed(harness.rates);
    expect(callsTo('harbour')).toBe(2);
    expect(await quoteNgn()).toMatchObject({ stale: true, asOf: first.asOf });
    world.now += 30_001;
    await expect(quoteNgn()).rejects.toMatchObject({ code: 'RATES_UNAVAILABLE', extras: { retryAfter: 5 } });
    simulated.fx.override('*', null);
  });
});

describe('a client that cycles random amounts', () => {
  it('neither pushes an anchor over its budget nor takes it off the board', async () => {
    const arrivals: number[] = [];
    simulated.anchor('harbour').override(price, (_req, res) => {
      arrivals.push(world.now);
      res.writeHead(200).end('{"sell_amount":"100","buy_amount":"150000"}');
    });
    const boards: boolean[] = [];
    let busy = 0;
    for (let i = 0; i < 200; i += 1) {
      world.now += 25;
      const answer = await quoteNgn({ amount: `100.${String(i + 1).padStart(7, '0')}` });
      const reason = answer.unavailable.find(({ anchorId }) => anchorId === 'harbour')?.reason;
      if (reason === 'busy') busy += 1;
      else expect(reason).toBeUndefined();
      if (i % 8 !== 7) continue;
      const board = await harness.rates.quote('usdc-ngn', {}, { maxAgeMs: 0 });
      const harbour = board.answer.quotes.find(({ anchorId }) => anchorId === 'harbour');
      boards.push(harbour?.quotedAt === new Date(world.now).toISOString());
    }
    expect(boards).toEqual(Array(25).fill(true));
    expect(busy).toBeGreaterThan(100);
    for (const start of arrivals) {
      expect(arrivals.filter((each) => each >= start && each < start + 1_000).length).toBeLessThanOrEqual(20);
    }
  });

  it('and finds those that an anchor stumbles over does not open its breaker for the others', async () => {
    simulated.anchor('harbour').override(price, (req, res) => {
      const amount = new URL(req.url ?? '', 'http://x').searchParams.get('sell_amount');
      if (amount === '100') res.writeHead(200).end('{"sell_amount":"100","buy_amount":"150000"}');
      else res.writeHead(500).end();
    });
    await quoteNgn();
    for (let i = 0; i < 12; i += 1) await quoteNgn({ amount: String(600 + i) });
    const board = await harness.rates.quote('usdc-ngn', {}, { maxAgeMs: 0 });
    expect(board.answer.quotes.map(({ anchorId }) => anchorId)).toContain('harbour');
  });

  it('is served the last quote of a known amount where the budget is used up', async () => {
    const tight = await start({ limits: { callsPerSecond: 2 } });
    const ask = (amount: string) => tight.rates.quote('usdc-ngn', { amount }).then(({ answer }) => answer);
    const first = await ask('700');
    world.now += 20_000;
    await ask('701');
    expect(await ask('700')).toMatchObject({ stale: true });
    await refreshed(tight.rates, '700');
    const second = await ask('700');
    const quotedAt = (answer: typeof first) =>
      answer.quotes.find(({ anchorId }) => anchorId === 'harbour')?.quotedAt;
    expect(quotedAt(second)).toBe(quotedAt(first));
    expect(second.stale).toBe(true);
  });

  it('leaves an anchor in peace that answers 429, but for reference amounts', async () => {
    simulated
      .anchor('harbour')
      .override(price, (_req, res) => void res.writeHead(429, { 'retry-after': '30' }).end());
    expect((await quoteNgn({ amount: '800' })).unavailable).toEqual([
      { anchorId: 'harbour', reason: 'busy' },
    ]);
    simulated.anchor('harbour').override(price, null);
    world.now += 29_000;
    expect((await quoteNgn({ amount: '801' })).unavailable).toEqual([
      { anchorId: 'harbour', reason: 'busy' },
    ]);
    expect((await quoteNgn()).unavailable).toEqual([]);
    world.now += 1_000;
    expect((await quoteNgn({ amount: '802' })).unavailable).toEqual([]);
  });
});

describe('the quote of one anchor', () => {
  it('is asked of that one alone, and shares what the rates keep', async () => {
    const from = await harness.rates.quoteFrom('usdc-ngn', 'harbour', '120', 'bank_account');
    expect(from).toMatchObject({
      quote: { anchorId: 'harbour', sellAmount: '120', deliveryMethod: 'bank_account' },
    });
    expect([callsTo('harbour'), callsTo('tidewater')]).toEqual([1, 0]);
    const answer = await quoteNgn({ amount: '120', deliveryMethod: 'bank_account' });
    expect(answer.quotes.find(({ anchorId }) => anchorId === 'harbour')).toEqual(from.quote);
    expect(callsTo('harbour')).toBe(1);
  });

  it.each([
    ['an unknown corridor', 'usdc-zzz', 'harbour', '100', undefined, 'not_served'],
    ['an anchor that does not serve it', 'usdc-ngn', 'windlass', '100', undefined, 'not_served'],
    ['a delivery method it does not offer', 'usdc-ngn', 'harbour', '100', 'cash', 'not_served'],
    ['an amount out of range', 'usdc-ngn', 'harbour', '1', undefined, 'refused_amount'],
  ] as const)('is none, with the reason, for %s', async (_name, corridor, anchor, amount, method, reason) => {
    expect(await harness.rates.quoteFrom(corridor, anchor, amount, method)).toEqual({ quote: null, reason });
  });
});

describe('estimates', () => {
  it('are none where the FX reference is stale or not configured, and say so', async () => {
    const without = await start({ fxUrl: undefined });
    const answer = (await without.rates.quote('usdc-ngn', {})).answer;
    expect(answer.unavailable).toEqual([{ anchorId: 'ferry', reason: 'no_fx' }]);
    simulated.fx.override('*', (_req, res) => {
      res.writeHead(200).end(JSON.stringify({ base: 'USD', date: '2020-01-01', rates: { NGN: 1500 } }));
    });
    const old = await start();
    expect((await old.rates.quote('usdc-ngn', {})).answer.unavailable).toEqual([
      { anchorId: 'ferry', reason: 'no_fx' },
    ]);
    simulated.fx.override('*', null);
  });
});
