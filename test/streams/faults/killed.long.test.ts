import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { createClient } from '../../../contract/client/create-client.js';
import {
  type Client,
  type IntentAnswer,
  type RatesAnswer,
  type StreamState,
  unwrap,
} from '../../../contract/client/index.js';
import { intentHash } from '../../../contract/verification/intent-hash.js';
import { newNonce } from '../../../contract/verification/nonce.js';
import { type Balancer, startBalancer } from '../../../scripts/lib/balancer.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { type ServiceProcess, startServiceProcess } from '../../fixtures/edge/service-process.js';
import { testCronSecret } from '../../support/app.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { runSeed, seeded } from '../../support/seeded.js';
import { waitFor } from '../../support/wait-for.js';

const kills = 30;
/** The number of off-ramps under way at the same time. */
const atOnce = 6;
const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const random = seeded(runSeed());

let mongod: PrivateMongo;
let anchors: SimulatedAnchors;
let balancer: Balancer;
/** The instances that the balancer knows. */
const ports = new Set<number>();
let instances: ServiceProcess[] = [];
let clients = 0;
/** Ends every stream after the test. */
const over = new AbortController();
const { signal } = over;

beforeAll(async () => {
  mongod = await privateMongo();
  const admin = new mongo.MongoClient(mongod.uri);
  // The server ends the transactions of a lost client after a minute by default; here it does so after a second.
  await admin.db('admin').command({ setParameter: 1, transactionLifetimeLimitSeconds: 1 });
  await admin.close();
  anchors = await startSimulatedAnchors({
    clock: Date.now,
    random,
    anchors: ['harbour', 'squall'],
    latencyFactor: 0,
    pace: 0.05,
    tickMs: 100,
  });
  for (const anchor of anchors.anchors) anchor.setProfile({ outage: null });
  balancer = await startBalancer(() => [...ports]);
  instances = await Promise.all([start(), start()]);
}, 120_000);
afterAll(async () => {
  over.abort();
  await Promise.all(instances.map(({ end }) => end('SIGKILL')));
  await balancer?.stop();
  await anchors?.stop();
  await mongod?.stop();
}, 60_000);

async function start(): Promise<ServiceProcess> {
  const instance = await startServiceProcess({
    mongodbUri: mongod.uri,
    stdout: 'ignore',
    simulated: anchors,
    env: { PUBLIC_URL: balancer.url, CRON_SECRET: testCronSecret },
  });
  ports.add(instance.port);
  return instance;
}

async function kill(instance: ServiceProcess): Promise<void> {
  await instance.end('SIGKILL');
  ports.delete(instance.port);
  instances = instances.filter((each) => each !== instance);
}

/** A new client, because the limits have tests of their own; it waits a tenth of the requested times. */
function newClient() {
  clients += 1;
  const headers = { 'x-forwarded-for': `203.3.${clients >> 8}.${clients & 255}` };
  return createClient(balancer.url, { headers, wait: (waitMs) => delay(waitMs / 10), timeoutMs: 5_000 });
}

/** Repeats a call that is safe to repeat, until a living instance answers it. */
async function insist<A extends { status: number }>(call: () => Promise<A>): Promise<A> {
  for (;;) {
    const answer = await call().catch((error: unknown) => {
      if (!(error instanceof TypeError || (error as Error).name === 'TimeoutError')) throw error;
      return undefined;
    });
    if (answer !== undefined && answer.status < 500) return answer;
    await delay(100);
  }
}

interface Followed {
  intentHash: string;
  /** Everything that the stream sent. */
  answers: IntentAnswer[];
  /** How often the connection was lost during the off-ramp. */
  losses: number;
}

/** One off-ramp, followed from its registration to its outcome. */
async function offRamp(nth: number): Promise<Followed> {
  const anchorId = nth % 2 === 0 ? 'harbour' : 'squall';
  const client = newClient();
  const terms = { corridor: 'usdc-ngn', anchorId, account, sellAmount: '100', nonce: newNonce() };
  const params = { intentHash: intentHash(terms) };
  const { statusCallbackUrl } = unwrap(await insist(() => client.intents.createIntent({ body: terms })));
  const following = follow(client, params.intentHash);

  const { origin, withdrawals } = anchors.anchor(anchorId);
  const begun = await fetch(`${origin}/sep24/transactions/withdraw/interactive`, {
    method: 'POST',
    headers: { authorization: `Bearer sim.${account}.x`, 'content-type': 'application/json' },
    body: JSON.stringify({ asset_code: 'USDC', amount: '100', destination_asset: 'iso4217:NGN' }),
  });
  const { id, url } = (await begun.json()) as { id: string; url: string };
  const body = { nonce: terms.nonce, anchorTransactionId: id };
  unwrap(await insist(() => client.intents.attachTransaction({ params, body })));
  await (await fetch(`${url}?on_change_callback=${encodeURIComponent(statusCallbackUrl)}`)).text();
  await delay(random() * 2_000);
  const withdrawal = withdrawals.find(id);
  if (withdrawal === undefined) throw new Error(`${anchorId} has no withdrawal ${id}`);
  withdrawals.pay(withdrawal, { ending: 'complete' });
  return following;
}

async function follow(client: Client, hash: string): Promise<Followed> {
  const followed: Followed = { intentHash: hash, answers: [], losses: 0 };
  const onState = ({ state }: StreamState) => {
    if (state === 'waiting') followed.losses += 1;
  };
  const stream = client.intents.stream({ params: { intentHash: hash } }, { onState, signal });
  for await (const { data } of stream) {
    followed.answers.push(data);
    if (data.status !== 'pending') break;
  }
  return followed;
}

/** A board that keeps the newest answer for an amount, until the test ends. */
function watchRates(amount: string) {
  const board = { losses: 0, newest: undefined as RatesAnswer | undefined };
  const stream = newClient().rates.stream(
    { params: { corridor: 'usdc-ngn' }, query: { amount } },
    {
      signal,
      onState({ state }) {
        if (state === 'waiting') board.losses += 1;
      },
    },
  );
  const watching = (async () => {
    for await (const event of stream) {
      if (event.event !== 'rates') continue;
      board.newest = event.data;
    }
  })();
  // Handles the rejection where the test fails; a test that passes checks the board's last answer.
  watching.catch(() => undefined);
  return board;
}

/** Kills one instance at a time, and sometimes both, and replaces each by a new one. */
async function killAtRandom(goesOn: () => boolean, struck: () => void): Promise<void> {
  while (goesOn()) {
    const both = random() < 0.2;
    const [first, second] = random() < 0.5 ? instances : [...instances].reverse();
    const victims = [first, both ? second : undefined].filter((one) => one !== undefined);
    for (const victim of victims) {
      await kill(victim);
      struck();
    }
    instances.push(...(await Promise.all(victims.map(start))));
    await delay(random() * 1_000);
  }
}

describe('clients of two instances that are killed thirty times', () => {
  it('are told the outcome of every intent, no step that is taken back, and the newest rates', async () => {
    let struck = 0;
    let begun = 0;
    const goesOn = () => struck < kills && !signal.aborted;
    const followed: Followed[] = [];
    const boards = ['100', '250', '1000'].map(watchRates);

    const offRamps = Array.from({ length: atOnce }, async () => {
      while (goesOn()) {
        begun += 1;
        followed.push(await offRamp(begun));
      }
    });
    const reconciling = reconcileUntilOver();
    const killing = killAtRandom(goesOn, () => {
      struck += 1;
    });
    await Promise.all([killing, ...offRamps]);
    const lastKillAt = Date.now();

    expect(struck).toBeGreaterThanOrEqual(kills);
    for (const { intentHash: hash, answers } of followed) {
      const { status, steps } = unwrap(
        await insist(() => newClient().intents.getIntent({ params: { intentHash: hash } })),
      );
      expectFor(`status of ${hash}`, [answers.at(-1)?.status, status]).toEqual(['settled', 'settled']);
      for (const answer of answers)
        expectFor(`steps of ${hash}`, answer.steps).toEqual(steps.slice(0, answer.steps.length));
    }
    for (const board of boards) {
      await waitFor(() => expect(Date.parse(board.newest?.asOf ?? '')).toBeGreaterThan(lastKillAt), {
        timeout: 60_000,
      });
      expect(board.losses).toBeGreaterThan(0);
    }
    expect(followed.reduce((all, { losses }) => all + losses, 0)).toBeGreaterThan(kills);
    over.abort();
    await reconciling;
  }, 600_000);
});

/** Reconciles regularly: a poll of the anchor finds what a callback could not deliver. */
async function reconcileUntilOver(): Promise<void> {
  for (let run = 0; !signal.aborted; run += 1) {
    const headers = { authorization: `Bearer ${testCronSecret}`, 'x-forwarded-for': `203.4.0.${run & 255}` };
    // The instance was killed meanwhile or is not there: the next run does the work.
    await fetch(`${balancer.url}/api/reputation/reconcile`, { method: 'POST', headers }).catch(
      () => undefined,
    );
    await delay(2_000);
  }
}
