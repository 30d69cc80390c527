import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { FindingCode } from '../../../contract/schemas/observations.js';
import type { Responder } from '../../../scripts/simulated-anchors/index.js';
import { observedFleet } from '../../fixtures/observations/observed-fleet.js';

const fleet = observedFleet(['harbour', 'slowboat', 'ferry']);
const toml = 'GET /.well-known/stellar.toml';

const json = (response: ServerResponse, body: unknown) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const answering =
  (status: number, body = ''): Responder =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end(body);

const strangersKey = 'GDQP2KPQGKIHYJGXNUIYOMHARUARCA7DJT5FO2FFOOKY3B2WSQHG4W37';

interface Fault {
  anchor: string;
  inject(): void;
  mend(): void;
  finding: { code: FindingCode; service: string; corridor?: string | null; detail?: string };
}

function overriding(
  anchor: string,
  route: string,
  responder: Responder,
): Pick<Fault, 'anchor' | 'inject' | 'mend'> {
  return {
    anchor,
    inject: () => fleet.simulated.anchor(anchor).override(route, responder),
    mend: () => fleet.simulated.anchor(anchor).override(route, null),
  };
}

function profiled(anchor: string, patch: object, usual: object): Pick<Fault, 'anchor' | 'inject' | 'mend'> {
  return {
    anchor,
    inject: () => fleet.simulated.anchor(anchor).setProfile(patch),
    mend: () => fleet.simulated.anchor(anchor).setProfile(usual),
  };
}

/** The stellar.toml of an anchor with another signing key. */
const withOtherKey: Responder = async (_request, response) => {
  const { origin } = fleet.simulated.anchor('harbour');
  response.end(`SIGNING_KEY = "${strangersKey}"\nANCHOR_QUOTE_SERVER = "${origin}/sep38"\n`);
};

const faults: Record<string, Fault> = {
  'its stellar.toml is gone': {
    ...overriding('harbour', toml, answering(404)),
    finding: { code: 'toml_unavailable', service: 'sep1', detail: 'answered 404' },
  },
  'its quote server is down': {
    ...overriding('harbour', 'GET /sep38/price', answering(503)),
    finding: { code: 'quotes_unavailable', service: 'sep38', detail: 'answered 503 in usdc-ngn' },
  },
  'its quote server knows the pairs no more': {
    ...overriding('harbour', 'GET /sep38/price', answering(404)),
    finding: {
      code: 'quotes_unavailable',
      service: 'sep38',
      corridor: 'usdc-ngn',
      detail: 'gives no price any more',
    },
  },
  'it closes the connection in place of a price': {
    ...overriding('slowboat', 'GET /sep38/price', (request) => void request.socket.destroy()),
    finding: { code: 'quotes_unavailable', service: 'sep38', detail: 'unreachable in usdc-ngn' },
  },
  'it answers HTML where JSON belongs': {
    ...overriding('slowboat', 'GET /sep38/price', answering(200, '<!doctype html><p>Hello</p>')),
    finding: { code: 'not_json', service: 'sep38', detail: 'not_json in usdc-ngn' },
  },
  'its gateway answers HTML with a 502': {
    ...overriding('ferry', 'GET /sep24/info', answering(502, '<html>Bad gateway</html>')),
    finding: { code: 'not_json', service: 'sep24', detail: 'answered 502' },
  },
  'it is slow': {
    ...overriding('ferry', 'GET /sep24/info', async (_request, response) => {
      await pause(2_050);
      json(response, { withdraw: { USDC: { enabled: true, fee_fixed: 1, fee_percent: 1 } } });
    }),
    finding: { code: 'slow', service: 'sep24' },
  },
  'its price is 20 % too high': {
    ...profiled('harbour', { priceFactor: '1.2' }, { priceFactor: '1' }),
    finding: { code: 'price_off', service: 'sep38', corridor: 'usdc-ngn' },
  },
  'its price is 20 % too low': {
    ...profiled('slowboat', { priceFactor: '0.8' }, { priceFactor: '1' }),
    finding: { code: 'price_off', service: 'sep38', corridor: 'usdc-ngn' },
  },
  'it changes the fee that it publishes': {
    ...profiled('ferry', { feePercent: '2.5' }, { feePercent: '1' }),
    finding: {
      code: 'fee_changed',
      service: 'sep24',
      corridor: 'usdc-ngn',
      detail: 'from 1 + 1 % to 1 + 2.5 %',
    },
  },
  'it changes the fee in its prices': {
    ...profiled('harbour', { feePercent: '1.3' }, { feePercent: '0.3' }),
    finding: {
      code: 'fee_changed',
      service: 'sep38',
      corridor: 'usdc-ngn',
      detail: 'from 0.40 % of the amount to 1.40 % of the amount',
    },
  },
  'its signing key is another': {
    ...overriding('harbour', toml, withOtherKey),
    finding: { code: 'key_changed', service: 'sep1', detail: `shows ${strangersKey}` },
  },
  'it drops a delivery method from its quotes': {
    ...overriding('harbour', 'GET /sep38/info', (_request, response) =>
      json(response, {
        assets: [{ asset: 'iso4217:NGN', buy_delivery_methods: [{ name: 'bank_account' }] }],
      }),
    ),
    finding: { code: 'method_dropped', service: 'sep38', corridor: 'usdc-ngn', detail: 'mobile_money' },
  },
  'it drops a method of its SEP-6 withdrawals': {
    ...overriding('harbour', 'GET /sep6/info', (_request, response) =>
      json(response, { withdraw: { USDC: { enabled: true, funding_methods: ['bank_account'] } } }),
    ),
    finding: { code: 'method_dropped', service: 'sep6', corridor: null, detail: 'mobile_money' },
  },
  'it withdraws the stablecoin no more': {
    ...overriding('ferry', 'GET /sep24/info', (_request, response) =>
      json(response, { withdraw: { USDC: { enabled: false } } }),
    ),
    finding: { code: 'withdrawal_dropped', service: 'sep24', detail: 'USDC' },
  },
  'its stellar.toml names its quote server no more': {
    ...overriding('slowboat', toml, (_request, response) => {
      const { origin, signingKey } = fleet.simulated.anchor('slowboat');
      response.end(`SIGNING_KEY = "${signingKey}"\nTRANSFER_SERVER_SEP0024 = "${origin}/sep24"\n`);
    }),
    finding: { code: 'service_dropped', service: 'sep1', detail: 'sep38' },
  },
};

describe('the observer names a fault of an anchor', () => {
  it('and finds nothing wrong with anchors that are in order', async () => {
    await fleet.round();
    const { findings } = await fleet.round();
    expect(findings).toBe(0);
  });

  it.each(Object.keys(faults))('within two rounds, and not after it is mended: %s', async (name) => {
    const { anchor, inject, mend, finding } = faults[name] as Fault;
    inject();
    await fleet.round();
    const firstSeenAt = new Date(fleet.world.now).toISOString();
    if (finding.code !== 'slow') await fleet.round();
    const { findings } = await fleet.read(anchor);
    mend();
    expect(findings).toContainEqual(
      expect.objectContaining({ ...finding, firstSeenAt, rounds: finding.code === 'slow' ? 1 : 2 }),
    );
    for (const other of ['harbour', 'slowboat', 'ferry'].filter((id) => id !== anchor))
      expect((await fleet.read(other)).findings).toEqual([]);
    await fleet.round();
    expect((await fleet.read(anchor)).findings).toEqual([]);
  });
});
