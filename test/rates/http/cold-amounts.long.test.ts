import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
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

beforeAll(async () => {
  // Anchors as quick as their profiles say, with the usual budget of 20 calls a second each.
  anchors = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, latencyFactor: 1 });
  for (const anchor of anchors.anchors) anchor.setProfile({ outage: null });
  app = await startTestApp({ uri: database.uri, simulated: anchors });
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
  const terms = { corridor: 'usdc-ngn', anchorId: 'harbour', account, sellAmount: randomAmount(), nonce };
  const answer = await fetch(`${app.url}/api/intent/offramp`, {
    method: 'POST',
    headers: { 'x-forwarded-for': client, 'content-type': 'application/json' },
    body: JSON.stringify(terms),
  });
  return { status: answer.status, body: (await answer.json()) as IntentAnswer };
}

/** Runs each client's work again and again until stopped; resolves to how the requests were answered. */
function attackFrom(clients: readonly string[], work: (client: string) => Promise<{ status: number }>) {
  let going = true;
  const statuses: number[] = [];
  const running = clients.flatMap((client) =>
    [1, 2].map(async () => {
      while (going) {
        const { status } = await work(client);
        statuses.push(status);
        // A refusal is cheap: without a pause the attack would only measure how quickly it is refused.
        if (status === 429) await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }),
  );
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

/** Genuine intents one after another; those that got no quote. */
async function withoutQuote(clients: readonly string[]) {
  const missed: IntentAnswer[] = [];
  for (const client of clients) {
    const { status, body } = await register(client);
    expect(status).toBe(201);
    if (body.quote === null) missed.push(body);
  }
  return missed;
}

/** A request that finds the answer stale starts the refresh, so that one shortly after finds it fresh. */
async function expectFreshReference() {
  const expectFresh = async () => {
    const { status, body } = await askRates('203.5.0.1', '');
    expect([status, body.stale]).toEqual([200, false]);
    expect(body.unavailable.filter(({ reason }) => reason === 'busy')).toEqual([]);
  };
  await waitFor(expectFresh, { interval: 500 });
}

describe.each([10, 20])('%i addresses that ask for random amounts', (count) => {
  it('leave no intent without a quote, and reference amounts fresh', async () => {
    const stop = attackFrom(addresses(count), askRates);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const [client = ''] = addresses(1);
    expect(await withoutQuote(Array(genuineIntents).fill(client))).toEqual([]);
    await expectFreshReference();
    const statuses = await stop();
    expect(statuses.length).toBeGreaterThan(count);
  });
});

describe('20 addresses that ask for random amounts, and 20 that register intents at random amounts', () => {
  it('leave no intent of ten other clients without a quote, and reference amounts fresh', async () => {
    const stopAsking = attackFrom(addresses(20), askRates);
    const stopRegistering = attackFrom(addresses(20), register);
    // The first intents of the attackers have the same right as those of others.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(await withoutQuote(addresses(genuineIntents))).toEqual([]);
    await expectFreshReference();
    await stopAsking();
    const registered = await stopRegistering();
    expect(registered.filter((status) => status === 201).length).toBeGreaterThan(20);
  });
});
