import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { observedFleet } from '../../fixtures/observations/observed-fleet.js';

/** faults.long.test.ts covers each of these faults alone, and more of them. */
const fleet = observedFleet(['harbour', 'slowboat', 'ferry', 'lighter', 'windlass']);
const toml = 'GET /.well-known/stellar.toml';

/** One fault per anchor, all at the same time, as it is reported. */
const expected = {
  harbour: [
    { code: 'method_dropped', service: 'sep38', corridor: 'usdc-ngn', detail: 'mobile_money' },
    { code: 'price_off', service: 'sep38', corridor: 'usdc-ngn' },
  ],
  slowboat: [
    { code: 'quotes_unavailable', service: 'sep38', detail: 'answered 503 in usdc-ngn' },
    { code: 'toml_unavailable', service: 'sep1', detail: 'answered 404' },
  ],
  ferry: [
    { code: 'slow', service: 'sep24' },
    { code: 'fee_changed', service: 'sep24', corridor: 'usdc-ngn' },
  ],
  lighter: [{ code: 'not_json', service: 'sep6', detail: 'not_json' }],
  windlass: [{ code: 'key_changed', service: 'sep1' }],
};

function inject(): void {
  const { anchor } = fleet.simulated;
  const strangersKey = anchor('harbour').signingKey;
  anchor('harbour').setProfile({ priceFactor: '1.2' });
  anchor('harbour').override('GET /sep38/info', (_request, response) => {
    const assets = [{ asset: 'iso4217:NGN', buy_delivery_methods: [{ name: 'bank_account' }] }];
    response.end(JSON.stringify({ assets }));
  });
  anchor('slowboat').override(toml, (_request, response) => void response.writeHead(404).end());
  anchor('slowboat').override('GET /sep38/price', (_request, response) => void response.writeHead(503).end());
  anchor('ferry').override('GET /sep24/info', async (_request, response) => {
    await pause(2_050);
    const terms = { enabled: true, fee_fixed: 1, fee_percent: 2.5 };
    response.end(JSON.stringify({ withdraw: { USDC: terms } }));
  });
  anchor('lighter').override('GET /sep6/info', (_request, response) => void response.end('<!doctype html>'));
  anchor('windlass').override(
    toml,
    (_request, response) => void response.end(`SIGNING_KEY = "${strangersKey}"\n`),
  );
}

function mend(): void {
  for (const anchor of fleet.simulated.anchors) {
    anchor.setProfile({ priceFactor: '1' });
    for (const route of [toml, 'GET /sep38/info', 'GET /sep38/price', 'GET /sep24/info', 'GET /sep6/info'])
      anchor.override(route, null);
  }
}

it('names eight faults of anchors in the round after they begin, and none once they are mended', async () => {
  await fleet.round();
  expect((await fleet.round()).findings).toBe(0);
  inject();
  await fleet.round();
  const at = new Date(fleet.world.now).toISOString();
  for (const [anchor, named] of Object.entries(expected)) {
    const { findings } = await fleet.read(anchor);
    for (const finding of named)
      expect(findings).toContainEqual(
        expect.objectContaining({ ...finding, firstSeenAt: at, lastSeenAt: at, rounds: 1 }),
      );
    const codes = new Set(findings.map(({ code }) => code));
    expect([...codes].sort()).toEqual(named.map(({ code }) => code).sort());
  }
  mend();
  expect((await fleet.round()).findings).toBe(0);
});
