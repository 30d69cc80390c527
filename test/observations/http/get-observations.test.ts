import { describe, expect, it } from '@jest/globals';
import { fewestObservations } from '../../../contract/schemas/observations.js';
import { createLeases } from '../../../server/mongo/leases.js';
import { observedFleet } from '../../fixtures/observations/observed-fleet.js';
import { silentLogger } from '../../support/silent-logger.js';

const fleet = await observedFleet(['slowboat', 'ferry']);
const ferryPath = '/api/anchors/ferry/observations';

describe('200', () => {
  it('has a reason for every figure of an anchor that was never observed', async () => {
    const body = await fleet.read('ferry');
    expect(body).toMatchObject({
      anchorId: 'ferry',
      window: 30,
      firstObservedAt: null,
      lastObservedAt: null,
      services: [],
    });
    expect(body.corridors.map(({ corridor }) => corridor)).toEqual([
      'usdc-ghs',
      'usdc-mxn',
      'usdc-ngn',
      'usdc-php',
      'usdc-xof-sn',
    ]);
    expect(body.corridors[0]).toMatchObject({ observations: 0, availabilityUnavailable: 'not_observed' });
  });

  it('is of use after the first round, for an anchor without SEP-38', async () => {
    expect(await fleet.round()).toMatchObject({ anchors: 2 });
    const { services, corridors, firstObservedAt } = await fleet.read('ferry');
    expect(firstObservedAt).toBe(new Date(fleet.world.now).toISOString());
    expect(services.map(({ service, latest }) => [service, latest.outcome])).toEqual([
      ['sep1', 'answered'],
      ['sep24', 'answered'],
    ]);
    const [first] = corridors;
    expect(first?.lastQuote).toMatchObject({ tier: 'estimate', costPercent: '2.00' });
  });

  it('has figures from the twentieth round on', async () => {
    for (let round = 1; round < fewestObservations; round += 1) await fleet.round();
    const { services, corridors } = await fleet.read('ferry');
    for (const service of services)
      expect(service).toMatchObject({ observations: 20, availability: '1.0000', latencyUnavailable: null });
    const ngn = corridors.find(({ corridor }) => corridor === 'usdc-ngn');
    expect(ngn).toMatchObject({
      availabilityUnavailable: 'no_price',
      fromMidMarket: { tier: 'estimate', quotes: 20, meanPercent: '2.00' },
    });
    const own = (await fleet.read('slowboat')).corridors.find(({ corridor }) => corridor === 'usdc-ngn');
    expect(own).toMatchObject({
      observations: 20,
      availability: '1.0000',
      fromMidMarket: { tier: 'anchor' },
    });
    expect(own?.latencyMs?.p95).toBeGreaterThanOrEqual(own?.latencyMs?.p50 ?? 0);
  });

  it('leaves days out that are before the window', async () => {
    fleet.world.now += 8 * 86_400_000;
    await fleet.round();
    expect((await fleet.read('ferry', 7)).services[0]).toMatchObject({
      observations: 1,
      availabilityUnavailable: 'too_few_observations',
    });
    expect((await fleet.read('ferry', 30)).services[0]).toMatchObject({ observations: 21 });
    expect((await fleet.read('ferry', 90)).services[0]).toMatchObject({ observations: 21 });
  });

  it('is cacheable for a quarter of a minute, and void with the next round', async () => {
    const before = await fleet.get(ferryPath);
    expect(before.headers.get('cache-control')).toBe('private, max-age=15');
    await fleet.round();
    expect((await fleet.get(ferryPath)).body.lastObservedAt).not.toBe(before.body.lastObservedAt);
  });
});

describe('400', () => {
  const invalid = { status: 400, body: { code: 'INVALID_REQUEST' } };

  it.each(['?window=14', '?days=7'])('for %s', async (query) => {
    expect(await fleet.get(`${ferryPath}${query}`)).toMatchObject(invalid);
  });

  it('for a round with any member', async () => {
    expect(await fleet.post({ body: { anchors: ['ferry'] } })).toMatchObject(invalid);
  });
});

describe('404 UNKNOWN_ANCHOR', () => {
  it('for an anchor that was never in the fleet', async () => {
    const answer = await fleet.get('/api/anchors/nobody/observations');
    expect(answer).toMatchObject({ status: 404, body: { code: 'UNKNOWN_ANCHOR' } });
  });
});

describe('409 RUN_IN_PROGRESS', () => {
  it('while another instance makes a round, with its start time', async () => {
    const { connection } = fleet.app;
    const elsewhere = createLeases({ connection, owner: 'elsewhere', logger: silentLogger });
    await elsewhere.run('observer', 10_000, async () => {
      const body = { code: 'RUN_IN_PROGRESS', startedAt: expect.any(String) };
      expect(await fleet.post()).toMatchObject({ status: 409, body });
    });
    expect((await fleet.post()).status).toBe(200);
  });
});
