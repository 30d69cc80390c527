import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Keypair } from '@stellar/stellar-base';
import { createClient, newNonce, signDispute } from '../../../contract/index.js';
import type { SimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { testCronSecret } from '../../support/app.js';

/** A request that the service acknowledged, and when its answer arrived. */
export interface Acknowledged {
  kind: 'intent' | 'dispute';
  id: string;
  at: number;
  /** The terms of an intent, to register it again. */
  terms?: Terms;
  statusCallbackUrl?: string;
}

export type Terms = {
  corridor: string;
  anchorId: string;
  account: string;
  sellAmount: string;
  nonce: string;
};

/** A registered intent. */
interface Registered {
  id: string;
  terms: Terms;
  /** The address for the anchor's callbacks. */
  statusCallbackUrl: string;
}

export interface Load {
  /** Throws the error that ended the load early, if any. */
  throwIfFailed(): void;
  acknowledged: readonly Acknowledged[];
  /** Waits for the work under way, and ends the load. */
  stop(): Promise<void>;
}

/** The number of off-ramps under way at the same time. */
const atOnce = 4;
let clients = 0;

/** A new client at each call, because the limits have tests of their own. */
export function someone(url: string, options: { adminKey?: string } = {}) {
  return createClient(url, { ...options, headers: anyAddress(), timeoutMs: 10_000 });
}

export function anyAddress(): { 'x-forwarded-for': string } {
  clients += 1;
  return { 'x-forwarded-for': `198.18.${(clients >> 8) & 255}.${clients & 255}` };
}

/** Calls an internal endpoint. */
export async function run<Answer>(url: string, path: string): Promise<{ status: number; body: Answer }> {
  const headers = { authorization: `Bearer ${testCronSecret}`, ...anyAddress() };
  const answer = await fetch(url + path, { method: 'POST', headers });
  return { status: answer.status, body: (await answer.json()) as Answer };
}

/** Registers intents, has some paid, disputes every other outcome, and runs the jobs, until it is stopped. */
export function startLoad(url: string, anchors: SimulatedAnchors): Load {
  const acknowledged: Acknowledged[] = [];
  const over = new AbortController();
  const goesOn = () => !over.signal.aborted;
  let begun = 0;
  let offRamps = 0;

  /** Registers one more intent; most of them are never paid. */
  async function register(account = Keypair.random().publicKey()): Promise<Registered> {
    begun += 1;
    const anchorId = begun % 2 === 0 ? 'harbour' : 'squall';
    const terms = { corridor: 'usdc-ngn', anchorId, account, sellAmount: '100', nonce: newNonce() };
    const created = await someone(url).intents.createIntent({ body: terms });
    if (created.status !== 201) throw new Error(`an intent was answered with ${created.status}`);
    const { intentHash: id, statusCallbackUrl } = created.body;
    const registered = { id, terms, statusCallbackUrl };
    acknowledged.push({ kind: 'intent', at: Date.now(), ...registered });
    return registered;
  }

  async function offRamp(nth: number): Promise<void> {
    const keys = Keypair.random();
    const registered = await register(keys.publicKey());
    const { id, terms } = registered;
    const client = someone(url);
    const transaction = await withdraw(anchors, registered);
    const body = { nonce: terms.nonce, anchorTransactionId: transaction };
    await client.intents.attachTransaction({ params: { intentHash: id }, body });
    await untilSettled(id);
    if (nth % 2 === 1 || !goesOn()) return;
    const signed = signDispute({
      intentHash: id,
      anchorId: terms.anchorId,
      reason: `Nothing arrived (${randomBytes(4).toString('hex')}).`,
      secretKey: keys.secret(),
    });
    const filed = await client.disputes.fileDispute({ body: signed });
    if (filed.status !== 201) throw new Error(`a dispute was answered with ${filed.status}`);
    acknowledged.push({ kind: 'dispute', id: filed.body.id, at: Date.now() });
  }

  async function untilSettled(id: string): Promise<void> {
    while (goesOn()) {
      const { status, body } = await someone(url).intents.getIntent({ params: { intentHash: id } });
      if (status === 200 && body.status === 'settled') return;
      await delay(250);
    }
  }

  async function repeat(pauseMs: number, work: () => Promise<unknown>): Promise<void> {
    while (goesOn()) {
      await work();
      await delay(pauseMs);
    }
  }

  const working = Promise.all([
    ...Array.from({ length: atOnce }, () =>
      repeat(100, () => {
        offRamps += 1;
        return offRamp(offRamps);
      }),
    ),
    repeat(500, () => run(url, '/api/reputation/reconcile')),
    repeat(100, () => register()),
    repeat(3_000, async () => {
      await run(url, '/api/reputation/refresh');
      await run(url, '/api/publisher/tick');
    }),
  ]);
  // `stop` awaits the loops; an earlier failure must not count as an unhandled rejection.
  let failure: unknown;
  working.catch((error: unknown) => {
    failure = error;
    over.abort();
  });
  return {
    throwIfFailed() {
      if (failure !== undefined) throw failure;
    },
    acknowledged,
    async stop() {
      over.abort();
      await working;
    },
  };
}

/** Makes a withdrawal at the anchor that is paid and completed. */
async function withdraw(
  anchors: SimulatedAnchors,
  { terms, statusCallbackUrl }: Registered,
): Promise<string> {
  const { anchorId, account } = terms;
  const { origin, withdrawals } = anchors.anchor(anchorId);
  const begun = await fetch(`${origin}/sep24/transactions/withdraw/interactive`, {
    method: 'POST',
    headers: { authorization: `Bearer sim.${account}.x`, 'content-type': 'application/json' },
    body: JSON.stringify({ asset_code: 'USDC', amount: '100', destination_asset: 'iso4217:NGN' }),
  });
  const { id, url } = (await begun.json()) as { id: string; url: string };
  await (await fetch(`${url}?on_change_callback=${encodeURIComponent(statusCallbackUrl)}`)).text();
  const withdrawal = withdrawals.find(id);
  if (withdrawal === undefined) throw new Error(`${anchorId} has no withdrawal ${id}`);
  withdrawals.pay(withdrawal, { ending: 'complete' });
  return id;
}
