import { describe, expect, it } from '@jest/globals';
import { ngnAnchors, price, simulatedRates } from '../../fixtures/rates/simulated-rates.js';
import { waitFor } from '../../support/wait-for.js';

const fixture = simulatedRates();
const { world, callsTo, quoteNgn } = fixture;

describe('the cache of the rates', () => {
  it('makes one call per anchor for 1,000 concurrent cold requests', async () => {
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => quoteNgn({ amount: '250' })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(['harbour', 'slowboat', 'squall', 'galleon', 'tidewater'].map((id) => callsTo(id))).toEqual([
      1, 1, 1, 1, 1,
    ]);
    expect(callsTo('ferry', 'GET /sep24/info')).toBe(1);
    expect(fixture.simulated.fx.calls['GET /fx']).toBe(1);
  });

  it('serves an answer for 15 s, then stale up to 60 s while one refresh runs, and asks again after that', async () => {
    const first = await fixture.service.rates.quote('usdc-ngn', {});
    expect(first.freshForMs).toBe(15_000);
    world.now += 14_999;
    const still = await fixture.service.rates.quote('usdc-ngn', {});
    expect(still).toEqual({ answer: first.answer, freshForMs: 1 });
    expect(callsTo('harbour')).toBe(1);

    world.now += 2;
    const stale = await Promise.all(Array.from({ length: 50 }, () => quoteNgn()));
    expect(stale.every((answer) => answer.stale && answer.asOf === first.answer.asOf)).toBe(true);
    await waitFor(async () => expect((await quoteNgn()).stale).toBe(false), { timeout: 10_000 });
    expect(callsTo('harbour')).toBe(2);
    expect(await quoteNgn()).toMatchObject({ stale: false, asOf: new Date(world.now).toISOString() });

    world.now += 60_000;
    expect(await quoteNgn()).toMatchObject({ stale: false, asOf: new Date(world.now).toISOString() });
    expect(callsTo('harbour')).toBe(3);
  });

  it('asks again at once after the caches were emptied', async () => {
    await quoteNgn();
    const { droppedEntries } = await fixture.service.cacheEpoch.empty();
    expect(droppedEntries).toBeGreaterThanOrEqual(ngnAnchors.length);
    await quoteNgn();
    expect(callsTo('harbour')).toBe(2);
  });

  it('does not keep an answer that was requested before the caches were emptied', async () => {
    let release = () => {};
    fixture.simulated.anchor('harbour').override(price, async (_req, res) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      res.writeHead(200).end('{"sell_amount":"100","buy_amount":"1"}');
    });
    const before = quoteNgn();
    await waitFor(() => expect(callsTo('harbour')).toBe(1), { timeout: 10_000 });
    await fixture.service.cacheEpoch.empty();
    fixture.simulated.anchor('harbour').override(price, null);
    const after = await quoteNgn();
    release();
    const old = await before;
    const receive = (answer: typeof old) =>
      answer.quotes.find(({ anchorId }) => anchorId === 'harbour')?.receiveAmount;
    expect(receive(old)).toBe('1.00');
    expect(receive(after)).not.toBe('1.00');
    expect(await quoteNgn()).toEqual(after);
  });
});
