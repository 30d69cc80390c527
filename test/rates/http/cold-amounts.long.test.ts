import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const genuineIntents = 10;
const database = testDatabase();
let anchors: SimulatedAnchors;
let app: TestApp;
let nonces = 0;

interface Registered {
  unavailable?: { reason: string }[];
}

beforeAll(async () => {
  // Anchors as quick as their profiles say, with the usual budget of 20 calls per second each.
  anchors = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, latencyFactor: 1 });
  for (const anchor of anchors.anchors) anchor.setProfile({ outage: null });
  app = await startTestApp({ uri: database.uri, simulated: anchors });
  // A running service has already discovered its anchors and knows that they answer.
  await expectFreshReference();
});
afterAll(async () => {
  await app?.close();
  await anchors?.stop();
});

const randomAmount = () => (10 + Math.random() * 9_000).toFixed(7);

async function askRates(client: string, query = `amount=${randomAmount()}`) {
  const headers = { 'x-forwarded-for': client };
  const answer = await fetch(`${app.url}/api/rates/usdc-ngn?${query}`, { headers });
  return { status: answer.status, body: (await answer.json()) as RatesAnswer };
}

async function register(client: string) {
  nonces += 1;
  const nonce = createHash('sha256').update(`${client} ${nonces}`).digest('base64url').slice(0, 32);
  // With minReceive, an intent that gets no quote is refused with the reasons.
  const terms = { corridor: 'usdc-ngn', anchorId: 'harbour', account, sellAmount: randomAmount(), nonce };
  const answer = await fetch(`${app.url}/api/intent/offramp`, {
    method: 'POST',
    headers: { 'x-forwarded-for': client, 'content-type': 'application/json' },
    body: JSON.stringify({ ...terms, minReceive: '0.01' }),
  });
  return { status: answer.status, body: (await answer.json()) as Registered };
}

/** Repeats each client's work until stopped; resolves to the statuses of the answers. */
function attackFrom(clients: readonly string[], work: (client: string) => Promise<{ status: number }>) {
  let going = true;
  const statuses: number[] = [];
  const running = clients.map(async (client) => {
    while (going) {
      statuses.push((await work(client)).status);
      // The attack is not on the processor: 20 addresses still ask for several times what an anchor allows.
      await delay(250);
    }
  });
  return async () => {
    going = false;
    await Promise.all(running);
    return statuses;
  };
}

let networks = 0;
function addresses(count: number): string[] {
  networks += 1;
  return Array.from({ length: count }, (_, host) => `203.5.${networks}.${host}`);
}

/** Registers genuine intents one by one; returns those without a quote because the anchor's calls were used up. */
async function withoutQuote(clients: readonly string[]) {
  const missed: Registered[] = [];
  for (const client of clients) {
    const { status, body } = await registerInTime(client);
    if (status !== 201) missed.push(body);
    // Intents have four calls a second of their own.
    await delay(250);
  }
  return missed;
}

/** Registers with retries: on a busy machine an anchor or the database may be late, which is not tested here. */
async function registerInTime(client: string) {
  for (let attempt = 1; ; attempt += 1) {
    const found = await register(client);
    const busy = found.body.unavailable?.some(({ reason }) => reason === 'busy') === true;
    if (found.status === 201 || busy || attempt === 8) return found;
    await delay(1_000);
  }
}

/** A request that finds a stale answer starts a refresh, so that a request shortly after finds a fresh one. */
async function expectFreshReference() {
  const expectFresh = async () => {
    const { status, body } = await askRates('203.5.0.1', '');
    expect([status, body.stale]).toEqual([200, false]);
    expect(body.unavailable.filter(({ reason }) => reason === 'busy')).toEqual([]);
  };
  await waitFor(expectFresh, { interval: 500, timeout: 30_000 });
}

describe.each([10, 20])('%i addresses that ask for random amounts', (count) => {
  it('leave no intent without a quote, and reference amounts fresh', async () => {
    const stop = attackFrom(addresses(count), askRates);
    try {
      await delay(1_000);
      const [client = ''] = addresses(1);
      expect(await withoutQuote(Array(genuineIntents).fill(client))).toEqual([]);
      await expectFreshReference();
    } finally {
      expect((await stop()).length).toBeGreaterThan(count);
    }
  });
});
