import { createPublicKey, verify } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodePublicKey } from '../../../contract/verification/strkey.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { waitFor } from '../../support/wait-for.js';

const start = Date.UTC(2026, 10, 21, 9, 30);
const alice = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';

interface Received {
  headers: IncomingMessage['headers'];
  body: string;
}

let receiver: Server;
let hook = '';
let received: Received[] = [];
let answer = 200;
let now = start;
let folder = '';
let fleet: SimulatedAnchors;

function startFleet(): Promise<SimulatedAnchors> {
  return startSimulatedAnchors({
    clock: () => now,
    random: () => 0.5,
    latencyFactor: 0,
    anchors: ['harbour', 'galleon'],
    stateFile: join(folder, 'state.json'),
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulated-anchors-'));
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    received.push({ headers: request.headers, body });
    response.writeHead(answer).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?x=1`;
});
afterAll(async () => {
  receiver.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  now = start;
  received = [];
  answer = 200;
  await rm(join(folder, 'state.json'), { force: true });
  fleet = await startFleet();
});
afterEach(() => fleet.stop());

async function begin(anchor: string, fields: Record<string, string> = {}) {
  const response = await fetch(`${fleet.anchor(anchor).origin}/sep24/transactions/withdraw/interactive`, {
    method: 'POST',
    headers: { authorization: `Bearer sim.${alice}.x`, 'content-type': 'application/json' },
    body: JSON.stringify({ asset_code: 'USDC', amount: '100', ...fields }),
  });
  return (await response.json()) as { id: string; url: string };
}

/** Verifies a callback without the library, as SEP-24 defines it: `<t>.<host>.<body>` under the key of the stellar.toml. */
function verified({ body }: Received, value: string, signingKey: string): boolean {
  const match = /^t=(\d+), s=([A-Za-z0-9+/]{86}==)$/.exec(value);
  expect(Number(match?.[1])).toBe(Math.floor(now / 1000));
  const raw = Buffer.from(decodePublicKey(signingKey)).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw }, format: 'jwk' });
  const signed = Buffer.from(`${match?.[1]}.${new URL(hook).host}.${body}`);
  return verify(null, signed, key, Buffer.from(match?.[2] ?? '', 'base64'));
}

describe('a status callback', () => {
  it('is sent on every change of status with the record, signed by the SIGNING_KEY', async () => {
    const { id } = await begin('harbour', { on_change_callback: hook });
    now += 20_000;
    await fleet.tick();
    fleet.anchor('harbour').pay(id, { ending: 'complete' });
    await fleet.tick();
    now += 240_000;
    await fleet.tick();
    expect(received.map(({ body }) => JSON.parse(body).transaction.status)).toEqual([
      'pending_user_transfer_start',
      'pending_anchor',
      'pending_external',
      'completed',
    ]);
    const last = received.at(-1) as Received;
    const { signingKey } = fleet.anchor('harbour');
    expect(verified(last, String(last.headers.signature), signingKey)).toBe(true);
    expect(verified({ ...last, body: `${last.body} ` }, String(last.headers.signature), signingKey)).toBe(
      false,
    );
    expect(JSON.parse(last.body)).toEqual({ transaction: fleet.anchor('harbour').transaction(id) });
    expect(fleet.anchor('harbour').callbacks()).toEqual({ delivered: 4, dropped: 0, pending: 0 });
  });

  it('goes to the URL that the wallet gave when it opened the form', async () => {
    const { url } = await begin('harbour');
    await fetch(`${url}?${new URLSearchParams({ on_change_callback: hook })}`);
    await fleet.tick();
    expect(received).toHaveLength(1);
    const beyond = await fetch(`${url}?on_change_callback=http://192.0.2.1/`);
    expect(beyond.status).toBe(400);
  });

  it('carries only the deprecated header from the anchor of the old version', async () => {
    const { id } = await begin('galleon', { on_change_callback: hook });
    fleet.anchor('galleon').pay(id);
    await fleet.tick();
    const [first] = received as [Received];
    expect(first.headers.signature).toBeUndefined();
    const value = String(first.headers['x-stellar-signature']);
    expect(verified(first, value, fleet.anchor('galleon').signingKey)).toBe(true);
  });

  it('is sent three times at most and then dropped', async () => {
    answer = 503;
    const { id } = await begin('harbour', { on_change_callback: hook });
    fleet.anchor('harbour').pay(id, { ending: 'stuck' });
    for (const waitMs of [0, 1_000, 1_000, 5_000, 60_000]) {
      now += waitMs;
      await fleet.tick();
    }
    const payments = received.filter(({ body }) => JSON.parse(body).transaction.status === 'pending_anchor');
    expect(payments).toHaveLength(3);
    now += 120_000;
    await fleet.tick();
    now += 120_000;
    await fleet.tick();
    expect(fleet.anchor('harbour').callbacks()).toEqual({ delivered: 0, dropped: 2, pending: 0 });
  });
});

describe('the state file', () => {
  it('keeps open withdrawals over a restart, and they continue', async () => {
    const { id } = await begin('harbour');
    fleet.anchor('harbour').pay(id, { ending: 'complete' });
    await fleet.stop();
    now += 240_000;
    fleet = await startFleet();
    expect(fleet.anchor('harbour').transaction(id)).toMatchObject({ status: 'pending_anchor' });
    await fleet.tick();
    expect(fleet.anchor('harbour').transaction(id)).toMatchObject({
      status: 'completed',
      completed_at: '2026-11-21T09:32:22.500Z',
    });
  });

  it('is read with the former name of an effect, as an older checkout wrote it', async () => {
    const { id } = await begin('harbour');
    fleet.anchor('harbour').pay(id, { ending: 'complete' });
    await fleet.stop();
    const file = join(folder, 'state.json');
    const written = await readFile(file, 'utf8');
    const former = written.replaceAll('"payout"', '"pay-out"');
    expect(former).not.toBe(written);
    await writeFile(file, former);
    now += 3_600_000;
    fleet = await startFleet();
    await fleet.tick();
    expect(fleet.anchor('harbour').transaction(id)).toMatchObject({ status: 'completed' });
  });

  it('is written by a tick that changed something, and refused by name when malformed', async () => {
    await begin('harbour');
    await fleet.tick();
    const file = join(folder, 'state.json');
    expect(JSON.parse(await readFile(file, 'utf8')).anchors.harbour).toHaveLength(1);
    await writeFile(file, '{"version":1,"anchors":{"harbour":[{}]}}');
    await expect(startFleet()).rejects.toThrow(file);
  });

  it('is not needed for withdrawals to advance by the tick interval', async () => {
    const running = await startSimulatedAnchors({
      clock: () => now,
      random: () => 0.5,
      latencyFactor: 0,
      anchors: ['harbour'],
      tickMs: 5,
    });
    const harbour = running.anchor('harbour');
    const begun = await fetch(`${harbour.origin}/sep24/transactions/withdraw/interactive`, {
      method: 'POST',
      headers: { authorization: `Bearer sim.${alice}.x` },
      body: new URLSearchParams({ asset_code: 'USDC', amount: '100' }),
    });
    const { id } = (await begun.json()) as { id: string };
    now += 60_000;
    await waitFor(async () => expect(harbour.transaction(id).status).toBe('pending_user_transfer_start'));
    await running.stop();
  });
});
