import { beforeEach, describe, expect, it } from '@jest/globals';
import type { QuoteMeter } from '../../../server/features/rates/ask-anchor.js';
import type { Logger } from '../../../server/ports.js';
import { ngnAnchors, price, simulatedRates } from '../../fixtures/rates/simulated-rates.js';
import { later } from '../../support/later.js';
import { silentLogger } from '../../support/silent-logger.js';
import { waitFor } from '../../support/wait-for.js';

const fixture = await simulatedRates();
const { world, start, callsTo, quoteNgn, refreshed } = fixture;
const dayMs = 86_400_000;

/** Has harbour answer every request for a price in this way. */
function harbour(status: number, body = '', headers: Record<string, string> = {}) {
  const { override } = fixture.simulated.anchor('harbour');
  override(price, (_req, res) => void res.writeHead(status, headers).end(body));
}

const without = (reason: string) => [{ anchorId: 'harbour', reason }];

describe('an anchor that fails', () => {
  it('removes only its own quote, and does not make the answer stale, although it is asked again sooner', async () => {
    harbour(500, '<html>');
    const { answer, freshForMs } = await fixture.service.rates.quote('usdc-ngn', {});
    expect(answer.unavailable).toEqual(without('error'));
    expect([answer.quotes.length, freshForMs]).toEqual([ngnAnchors.length - 1, 15_000]);
    world.now += 6_000;
    fixture.simulated.anchor('harbour').override(price, null);
    expect((await fixture.service.rates.quote('usdc-ngn', {})).freshForMs).toBe(9_000);
    await waitFor(async () => expect((await quoteNgn()).unavailable).toEqual([]));
  });

  it('is given up after 2 s if it hangs', async () => {
    fixture.simulated.anchor('harbour').override(price, () => {});
    const startedAt = performance.now();
    expect((await quoteNgn()).unavailable).toEqual(without('timeout'));
    const elapsedMs = performance.now() - startedAt;
    expect(elapsedMs).toBeGreaterThan(1_900);
    expect(elapsedMs).toBeLessThan(3_000);
  });

  it('is not called after five failures in a row, and returns after one successful trial', async () => {
    harbour(503);
    for (let i = 0; i < 5; i += 1) await quoteNgn({ amount: String(200 + i) });
    expect((await quoteNgn({ amount: '300' })).unavailable).toEqual(without('circuit_open'));
    expect(callsTo('harbour')).toBe(5);
    fixture.simulated.anchor('harbour').override(price, null);
    world.now += 10_000;
    await later(10_000, async () => {
      expect((await quoteNgn({ amount: '301' })).unavailable).toEqual([]);
      expect((await quoteNgn({ amount: '302' })).unavailable).toEqual([]);
    });
  });

  it('is never suspended for refusing amounts', async () => {
    harbour(400, '{"error":"amount is below the minimum"}');
    for (let i = 0; i < 10; i += 1)
      expect((await quoteNgn({ amount: String(400 + i) })).unavailable).toEqual(without('refused_amount'));
  });

  it('with all others: the old answer is served for a minute, then 503 with Retry-After', async () => {
    // Without a reference rate there are no estimates, which would need no answer for a while.
    const { rates } = await start({ fxUrl: undefined });
    const ask = () => rates.quote('usdc-ngn', {}).then(({ answer }) => answer);
    const first = await ask();
    for (const each of fixture.simulated.anchors)
      each.override('*', (_req, res) => void res.writeHead(500).end());
    world.now += 30_000;
    expect(await ask()).toMatchObject({ stale: true, asOf: first.asOf });
    await refreshed(rates);
    expect(callsTo('harbour')).toBe(2);
    expect(await ask()).toMatchObject({ stale: true, asOf: first.asOf });
    world.now += 30_001;
    await expect(ask()).rejects.toMatchObject({ code: 'RATES_UNAVAILABLE', extras: { retryAfter: 5 } });
  });
});

describe('a client that cycles random amounts', () => {
  it('does not exceed the call budget of an anchor or suspend the anchor', async () => {
    const arrivals: number[] = [];
    fixture.simulated.anchor('harbour').override(price, (_req, res) => {
      arrivals.push(world.now);
      res.writeHead(200).end('{"sell_amount":"100","buy_amount":"150000"}');
    });
    const boards: boolean[] = [];
    let busy = 0;
    for (let i = 0; i < 200; i += 1) {
      world.now += 25;
      const answer = await quoteNgn({ amount: (100 + (i + 1) / 1e7).toFixed(7) });
      const reason = answer.unavailable.find(({ anchorId }) => anchorId === 'harbour')?.reason;
      if (reason === 'busy') busy += 1;
      else expect(reason).toBeUndefined();
      if (i % 8 !== 7) continue;
      const board = await fixture.service.rates.quote('usdc-ngn', {}, { maxAgeMs: 0 });
      const harbour = board.answer.quotes.find(({ anchorId }) => anchorId === 'harbour');
      boards.push(harbour?.quotedAt === new Date(world.now).toISOString());
    }
    expect(boards).toEqual(Array(25).fill(true));
    expect(busy).toBeGreaterThan(100);
    for (const start of arrivals) {
      expect(arrivals.filter((each) => each >= start && each < start + 1_000).length).toBeLessThanOrEqual(20);
    }
  });

  it('does not open the breaker for all amounts by finding some that an anchor fails on', async () => {
    fixture.simulated.anchor('harbour').override(price, (req, res) => {
      const amount = new URL(req.url ?? '', 'http://x').searchParams.get('sell_amount');
      if (amount === '100') res.writeHead(200).end('{"sell_amount":"100","buy_amount":"150000"}');
      else res.writeHead(500).end();
    });
    await quoteNgn();
    for (let i = 0; i < 12; i += 1) await quoteNgn({ amount: String(600 + i) });
    const board = await fixture.service.rates.quote('usdc-ngn', {}, { maxAgeMs: 0 });
    expect(board.answer.quotes.map(({ anchorId }) => anchorId)).toContain('harbour');
  });

  it('quotes for an intent where the share of other amounts is used up, also for an amount just found busy', async () => {
    for (let i = 0; i < 12; i += 1) await quoteNgn({ amount: String(820 + i) });
    const isBusy = async (amount: string) =>
      (await quoteNgn({ amount })).unavailable.some(
        ({ anchorId, reason }) => anchorId === 'harbour' && reason === 'busy',
      );
    expect(await isBusy('840')).toBe(true);
    const { quoteFrom } = fixture.service.rates;
    const at = world.now;
    for (const amount of ['840', '840.0', '841', '842', '843']) {
      const { quote } = await quoteFrom('usdc-ngn', 'harbour', amount, undefined);
      expect(quote?.tier).toBe('anchor');
    }
    // None of them had to wait, and other callers still have no calls left.
    expect(world.now).toBe(at);
    expect(await isBusy('844')).toBe(true);
  });

  it('quotes for an intent at the reference amount where the calls for reference amounts are used up', async () => {
    const tight = await start({ callsPerSecond: 5 });
    for (const amount of ['820', '821']) await tight.rates.quote('usdc-ngn', { amount });
    const others = tight.directory
      .corridors()
      .map(({ id }) => id)
      .filter((id) => id !== 'usdc-ngn');
    for (const id of others) await tight.rates.quote(id, {}).catch(() => undefined);
    const { quotes } = (await tight.rates.quote('usdc-ngn', {})).answer;
    expect(quotes.map(({ anchorId }) => anchorId)).not.toContain('harbour');
    const { quote } = await tight.rates.quoteFrom('usdc-ngn', 'harbour', '100', undefined);
    expect(quote?.tier).toBe('anchor');
  });

  it('gets the last quote of a known amount when the budget is used up', async () => {
    const tight = await start({ callsPerSecond: 2 });
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

  it.each([
    ['429', 429, '30', 'busy'],
    ['429 until a date', 429, () => new Date(world.now + 30_000).toUTCString(), 'busy'],
    ['503', 503, '30', 'error'],
  ] as const)('is not asked anything while it wants a pause: %s', async (_what, status, after, reason) => {
    harbour(status, '', { 'retry-after': typeof after === 'string' ? after : after() });
    expect((await quoteNgn({ amount: '800' })).unavailable).toEqual(without(reason));
    fixture.simulated.anchor('harbour').override(price, null);
    world.now += 28_000;
    expect((await quoteNgn({ amount: '801' })).unavailable).toEqual(without('busy'));
    expect((await quoteNgn()).unavailable).toEqual(without('busy'));
    expect(callsTo('harbour')).toBe(1);
    world.now += 2_000;
    expect((await quoteNgn({ amount: '802' })).unavailable).toEqual([]);
  });
});

describe('what the operator sees', () => {
  let lines: { level: string; message: string; [field: string]: unknown }[] = [];
  let asked: Record<string, number> = {};
  const expected = new Map<string, readonly string[]>();
  const logger: Logger = {
    ...silentLogger,
    info: (fields, message) => void lines.push({ level: 'info', message, ...fields }),
    warn: (fields, message) => void lines.push({ level: 'warn', message, ...fields }),
  };
  const meter: QuoteMeter = {
    expects: (anchorId, outcomes) => void expected.set(anchorId, outcomes),
    asked(...how) {
      const key = how.join(' ');
      asked[key] = (asked[key] ?? 0) + 1;
    },
  };
  let service: Awaited<ReturnType<typeof start>>;
  beforeEach(async () => {
    service = await start({ logger, meter });
    lines = [];
    asked = {};
  });
  const quote = (query = {}) => service.rates.quote('usdc-ngn', query, { maxAgeMs: 0 });
  const about = (anchorId: string) => lines.filter((line) => line.anchorId === anchorId);

  it('has one line when an anchor begins to fail, and one when it quotes again, for reference amounts alone', async () => {
    harbour(500, '<html>');
    for (let n = 0; n < 4; n += 1) await quote({ amount: String(900 + n) });
    expect(about('harbour')).toEqual([]);
    // More often than the anchor is called: it is left alone after five failures.
    for (let n = 0; n < 9; n += 1) await quote();
    const failed = { level: 'warn', message: 'an anchor has no quote for the reference amount' };
    const fields = { anchorId: 'harbour', corridor: 'usdc-ngn' };
    expect(about('harbour')).toEqual([{ ...failed, ...fields, reason: 'error' }]);
    expect(asked['harbour circuit_open']).toBeGreaterThan(0);
    fixture.simulated.anchor('harbour').override(price, null);
    world.now += 30_000;
    await later(30_000, async () => {
      for (let n = 0; n < 3; n += 1) await quote();
    });
    const worked = { level: 'info', message: 'the anchor quotes again' };
    expect(about('harbour').slice(1)).toEqual([{ ...worked, ...fields, failedForSeconds: 30 }]);
  });

  it('has one line while the FX reference cannot be read, and one when it can be again', async () => {
    fixture.simulated.fx.override('*', (_req, res) => void res.writeHead(500).end());
    for (let n = 0; n < 4; n += 1) {
      await quote();
      world.now += 61_000;
    }
    expect(about('ferry')).toMatchObject([{ reason: 'no_fx' }]);
    fixture.simulated.fx.override('*', null);
    await quote();
    const messages = lines.map(({ message }) => message).filter((message) => message.includes('FX'));
    expect(messages).toEqual(['the FX reference cannot be read', 'the FX reference can be read again']);
  });

  it.each([
    ['of today', 0, 0],
    ['of yesterday, as a later time zone has it', 1, 0],
    ['of three days ago, as a source of weekdays only has it on Monday', 3, 1],
  ])('has a line at the first reading of an FX table %s', async (_what, daysAgo, count) => {
    // Noon of the next day, whatever the time.
    world.now += 1.5 * dayMs - (world.now % dayMs);
    const date = new Date(world.now - daysAgo * dayMs).toISOString().slice(0, 10);
    const table = JSON.stringify({ base: 'USD', date, rates: { NGN: 1530 } });
    fixture.simulated.fx.override('*', (_req, res) => void res.writeHead(200).end(table));
    for (let n = 0; n < 2; n += 1) {
      const { answer } = await quote();
      expect(answer.quotes.find(({ anchorId }) => anchorId === 'ferry')?.estimate?.fxDate).toBe(date);
      world.now += 601_000;
    }
    fixture.simulated.fx.override('*', null);
    const said = lines.filter(({ message }) => message.includes('a source of weekdays only'));
    expect(said).toEqual(Array(count).fill(expect.objectContaining({ level: 'warn', date, usedForDays: 5 })));
  });

  it('counts how each anchor ended, from the start: own prices, estimates and each reason', async () => {
    expect([...expected.keys()].sort()).toEqual(fixture.simulated.anchors.map(({ id }) => id).sort());
    expect(expected.get('harbour')).toEqual(expect.arrayContaining(['quoted', 'estimated', 'malformed']));
    harbour(403, '{"error":"forbidden"}');
    await quote();
    expect(asked).toMatchObject({ 'slowboat quoted': 1, 'ferry estimated': 1, 'harbour unauthorized': 1 });
  });
});
