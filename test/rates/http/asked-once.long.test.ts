import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent } from 'undici';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { checkAnswer } from '../../support/answers.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';

const crowdSize = 1_000;
const database = testDatabase();
let anchors: SimulatedAnchors;
let app: TestApp;
let sockets: Agent;

beforeAll(async () => {
  // Tidewater is out of service for the first five minutes of every forty; this is ten minutes into that cycle.
  const shiftMs = 600_000 - (Date.now() % 2_400_000);
  // The anchors take their usual time, so that the whole crowd waits for the same answers.
  anchors = await startSimulatedAnchors({
    clock: () => Date.now() + shiftMs,
    random: () => 0.5,
    latencyFactor: 1,
  });
  app = await startTestApp({ uri: database.uri, simulated: anchors });
  sockets = new Agent({ connections: crowdSize, pipelining: 1 });
  // The first request discovers the anchors, so that later ones do not include that.
  await ask(['1']);
});
afterAll(async () => {
  await sockets?.close();
  await app?.close();
  await anchors?.stop();
});
afterEach(() => {
  for (const each of anchors.anchors) each.override('*', null);
});

/** Sends a request without supertest, which is too slow: 1,000 answers must arrive while the first of them is fresh. */
async function get(origin: string, amount: string | undefined, client: string) {
  const path = `/api/rates/usdc-ngn?amount=${amount}`;
  const answer = await sockets.request({
    origin,
    method: 'GET',
    path,
    headers: { 'x-forwarded-for': client },
  });
  return { path, status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

let clients = 0;
/** Sends all requests at once, each as another client on its own connection; `amounts` are used in turn. */
async function ask(amounts: readonly string[], count = 1) {
  anchors.fx.resetCalls();
  for (const each of anchors.anchors) each.resetCalls();
  const asked = Array.from({ length: count }, (_, index) => {
    clients += 1;
    const client = `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}`;
    return get(app.url, amounts[index % amounts.length], client);
  });
  const answers = await Promise.all(asked);
  // Equal answers are checked once, and only afterwards, since the service shares the processor with this test.
  for (const { path, status, headers, text } of new Map(answers.map((each) => [each.text, each])).values()) {
    checkAnswer({ method: 'GET', path, status, headers, body: JSON.parse(text) as RatesAnswer });
  }
  return answers;
}

/** How often each anchor of the corridor was asked for this amount; background requests are for another amount. */
function calls(amount: string): Record<string, number> {
  const counted = quoting.map((id) => {
    const asked = anchors
      .anchor(id)
      .seen.filter(({ url }) => new URL(url, 'http://x').searchParams.get('sell_amount') === amount);
    return [id, asked.length];
  });
  return Object.fromEntries(counted);
}

const quoting = ['harbour', 'slowboat', 'squall', 'galleon', 'tidewater'];
const once = Object.fromEntries(quoting.map((id) => [id, 1]));

describe('1,000 concurrent cold requests for one corridor and amount', () => {
  it('make exactly one call to each anchor, and get the same answer', async () => {
    const answers = await ask(['250'], crowdSize);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(calls('250')).toEqual(once);
    // Ferry publishes a fee instead of quoting, which does not depend on the amount.
    expect(anchors.anchor('ferry').calls['GET /sep24/info'] ?? 0).toBeLessThanOrEqual(1);
  });

  it('make one call to each anchor, however the amount is written', async () => {
    await ask(['75.5', '75.50', '75.500', '75.5000000'], crowdSize);
    expect(calls('75.5')).toEqual(once);
  });

  it('make one call to an anchor that fails', async () => {
    anchors.anchor('harbour').override('*', (_req, res) => void res.writeHead(502).end('<html>'));
    const answers = await ask(['88'], crowdSize);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { unavailable } = JSON.parse(answers[0]?.text ?? '') as RatesAnswer;
    expect(unavailable).toContainEqual({ anchorId: 'harbour', reason: 'error' });
    expect(calls('88')).toEqual(once);
  });

  it('make one call to each anchor on each of two instances', async () => {
    const second = await startTestApp({ uri: database.uri, simulated: anchors });
    const from = (host: number) => `11.0.${host >> 8}.${host & 255}`;
    await get(second.url, '2', from(0));
    for (const each of anchors.anchors) each.resetCalls();
    const hosts = Array.from({ length: crowdSize / 2 }, (_, index) => index + 1);
    await Promise.all(hosts.flatMap((host) => [app, second].map(({ url }) => get(url, '311', from(host)))));
    expect(calls('311')).toEqual(Object.fromEntries(quoting.map((id) => [id, 2])));
    await second.close();
  });
});
