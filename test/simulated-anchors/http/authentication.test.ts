import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Keypair, TransactionBuilder } from '@stellar/stellar-base';
import { challengeFault } from '../../../contract/offramp/challenge.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { simulatedNetwork } from '../../../scripts/simulated-ledger/payments.js';

const start = Date.UTC(2026, 10, 21, 9, 30);
const alice = Keypair.fromRawEd25519Seed(createHash('sha256').update('alice').digest());
const mallory = Keypair.fromRawEd25519Seed(createHash('sha256').update('mallory').digest());
let fleet: SimulatedAnchors;
let now = start;

beforeAll(async () => {
  fleet = await startSimulatedAnchors({
    clock: () => now,
    random: () => 0.5,
    latencyFactor: 0,
    anchors: ['harbour'],
  });
});
afterAll(() => fleet.stop());

const harbour = () => fleet.anchor('harbour');

async function challenge(): Promise<string> {
  const answer = await fetch(`${harbour().origin}/auth?account=${alice.publicKey()}`);
  return ((await answer.json()) as { transaction: string }).transaction;
}

function signed(envelope: string, keys: Keypair): string {
  const transaction = TransactionBuilder.fromXDR(envelope, simulatedNetwork);
  transaction.sign(keys);
  return transaction.toXDR();
}

async function answer(transaction: string) {
  const response = await fetch(`${harbour().origin}/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ transaction }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('SEP-10 of a simulated anchor', () => {
  it('gives a challenge that a wallet can sign, and a token for the signed one, once', async () => {
    const envelope = await challenge();
    const host = new URL(harbour().origin).host;
    const fault = challengeFault(envelope, {
      account: alice.publicKey(),
      signingKey: harbour().signingKey,
      homeDomain: host,
      webAuthDomain: host,
      networkPassphrase: simulatedNetwork,
      nowMs: now,
    });
    expect(fault).toBeNull();
    const first = await answer(signed(envelope, alice));
    expect(first.body.token).toMatch(new RegExp(`^sim\\.${alice.publicKey()}\\.`));
    expect(await answer(signed(envelope, alice))).toMatchObject({ status: 400 });
  });

  it('gives none for a challenge that is unsigned, signed by another, late or not its own', async () => {
    const envelope = await challenge();
    expect(await answer(envelope)).toMatchObject({ status: 400 });
    expect(await answer(signed(envelope, mallory))).toMatchObject({ status: 400 });
    expect(await answer('AAAA')).toMatchObject({ status: 400 });
    now += 901_000;
    expect(await answer(signed(envelope, alice))).toMatchObject({ status: 400 });
  });
});
