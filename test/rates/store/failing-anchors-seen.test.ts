import { beforeEach, describe, expect, it } from '@jest/globals';
import type { QuoteMeter } from '../../../server/features/rates/quote-outcomes.js';
import type { Logger } from '../../../server/ports.js';
import { price, simulatedRates } from '../../fixtures/rates/simulated-rates.js';
import { silentLogger } from '../../support/silent-logger.js';

const fixture = simulatedRates();
const { world, start } = fixture;

interface Line {
  level: string;
  message: string;
  [field: string]: unknown;
}

let lines: Line[] = [];
let asked: Record<string, number> = {};
const expected = new Map<string, readonly string[]>();

const logger: Logger = {
  ...silentLogger,
  info: (fields, message) => void lines.push({ level: 'info', message, ...fields }),
  warn: (fields, message) => void lines.push({ level: 'warn', message, ...fields }),
};
const meter: QuoteMeter = {
  expects: (anchorId, outcomes) => void expected.set(anchorId, outcomes),
  asked: (anchorId, outcome) => {
    const key = `${anchorId} ${outcome}`;
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

function fail(status: number, body = '') {
  fixture.simulated.anchor('harbour').override(price, (_req, res) => void res.writeHead(status).end(body));
}

describe('the log', () => {
  it('has one line when an anchor begins to fail, with the reason, and one when it quotes again', async () => {
    await quote();
    expect(about('harbour')).toEqual([]);
    fail(500, '<html>');
    for (let n = 0; n < 4; n += 1) await quote();
    const failed = { level: 'warn', message: 'an anchor has no quote for the reference amount' };
    const fields = { anchorId: 'harbour', corridor: 'usdc-ngn' };
    expect(about('harbour')).toEqual([{ ...failed, ...fields, reason: 'error' }]);
    world.now += 30_000;
    fixture.simulated.anchor('harbour').override(price, null);
    for (let n = 0; n < 3; n += 1) await quote();
    const worked = { level: 'info', message: 'the anchor quotes again' };
    expect(about('harbour').slice(1)).toEqual([{ ...worked, ...fields, failedForSeconds: 30 }]);
  });

  it('does not call an anchor that is left alone after failures a working one', async () => {
    fail(500);
    for (let n = 0; n < 9; n += 1) await quote();
    expect(asked['harbour circuit_open']).toBeGreaterThan(0);
    expect(about('harbour')).toHaveLength(1);
  });

  it('has no line for amounts at which an anchor fails, which clients choose', async () => {
    await quote();
    fail(500);
    for (let n = 0; n < 4; n += 1) await quote({ amount: String(900 + n) });
    expect(about('harbour')).toEqual([]);
  });

  it('has one line while the FX reference cannot be read, and one when it can be again', async () => {
    fixture.simulated.fx.override('*', (_req, res) => void res.writeHead(500).end());
    for (let n = 0; n < 4; n += 1) {
      await quote();
      world.now += 61_000;
    }
    fixture.simulated.fx.override('*', null);
    await quote();
    const messages = lines.map(({ message }) => message).filter((message) => message.includes('FX'));
    expect(messages).toEqual(['the FX reference cannot be read', 'the FX reference can be read again']);
  });
});

describe('the count of outcomes', () => {
  it('has every anchor of the fleet and every outcome from the start', () => {
    expect([...expected.keys()].sort()).toEqual(fixture.simulated.anchors.map(({ id }) => id).sort());
    expect(expected.get('harbour')).toEqual(expect.arrayContaining(['quoted', 'estimated', 'malformed']));
  });

  it('tells own prices from estimates, and one reason from another', async () => {
    fail(403, '{"error":"forbidden"}');
    await quote();
    expect(asked).toMatchObject({ 'slowboat quoted': 1, 'ferry estimated': 1, 'harbour unauthorized': 1 });
  });
});
