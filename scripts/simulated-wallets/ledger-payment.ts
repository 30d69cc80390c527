import { setTimeout as sleep } from 'node:timers/promises';
import { publicKeyOf } from '../../contract/verification/ed25519.js';
import { encodePublicKey } from '../../contract/verification/strkey.js';
import { signedPayment } from '../simulated-ledger/payments.js';

export interface SimulatedWallet {
  /** 32 bytes. */
  seed: Uint8Array;
  /** `G…` */
  account: string;
}

export function walletOf(seed: Uint8Array): SimulatedWallet {
  return { seed, account: encodePublicKey(publicKeyOf(seed)) };
}

/** What a record of a withdrawal says of how to pay it. */
export interface Instructions {
  withdraw_anchor_account?: string;
  withdraw_memo?: string;
  withdraw_memo_type?: string;
}

const pollMs = 500;

/** Signs the payment, submits it as wallets do, and waits until its ledger has closed. Resolves to its hash. */
export async function payOnLedger(
  rpcUrl: string,
  { seed }: SimulatedWallet,
  how: Instructions & { amount: string },
  signal: AbortSignal,
): Promise<string> {
  const { withdraw_anchor_account: to, withdraw_memo: value, withdraw_memo_type: type, amount } = how;
  if (to === undefined) throw new Error('the anchor does not say where to pay');
  const memo = value === undefined ? undefined : { type: memoTypeOf(type), value };
  // Milliseconds: a wallet makes no two payments in one.
  const sequence = String(Date.now());
  const { envelope, hash } = signedPayment(seed, { payments: [{ to, amount }], memo, sequence });
  const sent = await ask<{ status: string }>(rpcUrl, 'sendTransaction', { transaction: envelope }, signal);
  if (sent.status !== 'PENDING') throw new Error(`the simulated ledger refused the payment: ${sent.status}`);
  for (;;) {
    const { status } = await ask<{ status: string }>(rpcUrl, 'getTransaction', { hash }, signal);
    if (status === 'SUCCESS') return hash;
    if (status === 'FAILED') throw new Error('the payment failed');
    await sleep(pollMs, undefined, { signal });
  }
}

function memoTypeOf(text: string | undefined): 'text' | 'id' | 'hash' {
  return text === 'id' || text === 'hash' ? text : 'text';
}

async function ask<T>(rpcUrl: string, method: string, params: object, signal: AbortSignal): Promise<T> {
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal,
  });
  const { result } = (await answer.json()) as { result?: T };
  if (result === undefined) throw new Error(`the simulated ledger does not answer ${method}`);
  return result;
}
