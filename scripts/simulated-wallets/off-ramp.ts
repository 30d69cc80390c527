import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnchorAnswer } from '../../contract/schemas/anchors.js';
import type { IntentAnswer } from '../../contract/schemas/intents.js';
import { anchorDefinitions } from '../simulated-anchors/profiles.js';
import { type Instructions, payOnLedger, type SimulatedWallet } from './ledger-payment.js';

/** One off-ramp as a wallet goes through it, against a service and simulated anchors on this machine. */
export interface OffRamp {
  serviceUrl: string;
  corridor: string;
  anchorId: string;
  wallet: SimulatedWallet;
  /** Decimal string. */
  sellAmount: string;
  /** What the anchor shall make of it; its profile decides when absent. */
  ending?: string;
  /** Told of each step, for people to watch. */
  say: (line: string) => void;
  signal: AbortSignal;
}

const pollMs = 1_500;
const callTimeoutMs = 10_000;

/** Thrown where the service or the anchor refused a step; the message is the refusal. */
export class OffRampRefused extends Error {}

/**
 * Registers the intent, starts the withdrawal at the anchor, attaches its transaction, and pays once the service has
 * seen it (an outcome counts only if it was seen before it was paid). Returns the intent and the transaction's id.
 */
export async function beginOffRamp(
  offRamp: OffRamp,
): Promise<{ intent: IntentAnswer; transactionId: string }> {
  const { serviceUrl, corridor, anchorId, sellAmount, say, signal } = offRamp;
  const { account } = offRamp.wallet;
  const nonce = randomBytes(24).toString('base64url');
  const terms = { corridor, anchorId, account, sellAmount, nonce };
  const intent = await call<IntentAnswer>(`${serviceUrl}/api/intent/offramp`, { json: terms, signal });
  const { quote } = intent;
  const stray = quote?.unranked ? ' (far from what others pay)' : '';
  const quoted = quote === null ? 'no quote at the moment' : `quoted ${quote.receiveAmount}${stray}`;
  say(
    `intent ${intent.intentHash.slice(0, 12)}…: ${sellAmount} in ${corridor} through ${anchorId}, ${quoted}`,
  );

  const withdrawal = await startWithdrawal(offRamp, intent.statusCallbackUrl);
  await call(`${serviceUrl}/api/intent/${intent.intentHash}/transaction`, {
    json: { nonce, anchorTransactionId: withdrawal.id },
    signal,
  });
  say(`transaction ${withdrawal.id} is attached; waiting until the service has seen it`);
  const { rpcUrl } = withdrawal;
  // A payment on the ledger is held against what the anchor's record said before it of where to pay.
  await until(offRamp, intent.intentHash, ({ transaction }) =>
    rpcUrl === null
      ? transaction?.status != null || !withdrawal.pollable
      : transaction?.status === 'pending_user_transfer_start',
  );
  await pay(offRamp, withdrawal, async (paymentHash) => {
    const json = { nonce, paymentHash };
    await call(`${serviceUrl}/api/intent/${intent.intentHash}/transaction`, { json, signal });
    say('the service knows the payment, whatever the anchor says of it');
  });
  return { intent, transactionId: withdrawal.id };
}

/** Pays on the simulated ledger, where the anchor watches one, and else tells the anchor that it was paid. */
async function pay(
  { wallet, sellAmount, ending, say, signal }: OffRamp,
  { id, origin, url, rpcUrl }: StartedWithdrawal,
  onPaid: (paymentHash: string) => Promise<void>,
): Promise<void> {
  const json = ending === undefined ? {} : { ending };
  if (rpcUrl === null) {
    await call(`${origin}/simulate/transactions/${id}/payment`, { json, signal });
    say('paid (no money moves)');
    return;
  }
  if (ending !== undefined) await call(`${origin}/simulate/transactions/${id}/ending`, { json, signal });
  const headers = { authorization: `Bearer sim.${wallet.account}.wallet` };
  const asked = { headers, signal };
  const { transaction } = await call<{ transaction: Instructions }>(`${url}/transaction?id=${id}`, asked);
  const hash = await payOnLedger(rpcUrl, wallet, { ...transaction, amount: sellAmount }, signal);
  say(`paid on the simulated ledger: ${hash.slice(0, 12)}…`);
  await onPaid(hash);
}

/** Reads the intent again and again until it has an outcome, saying every change of the anchor's status. */
export function untilOutcome(offRamp: OffRamp, intentHash: string): Promise<IntentAnswer> {
  let last: string | null = null;
  return until(offRamp, intentHash, (intent) => {
    const status = intent.transaction?.status ?? null;
    if (status !== last) offRamp.say(`the anchor says: ${status}`);
    last = status;
    return intent.outcome !== null;
  });
}

interface StartedWithdrawal {
  id: string;
  origin: string;
  /** Of the server that knows it. */
  url: string;
  pollable: boolean;
  /** Of the simulated ledger that the anchor watches; null where there is none. */
  rpcUrl: string | null;
}

async function startWithdrawal(offRamp: OffRamp, callbackUrl: string): Promise<StartedWithdrawal> {
  const { serviceUrl, anchorId, corridor, sellAmount, signal } = offRamp;
  const { account } = offRamp.wallet;
  const anchor = await call<AnchorAnswer>(`${serviceUrl}/api/anchors/${anchorId}`, { signal });
  const start = anchor.start.find((point) => point.corridor === corridor);
  if (start === undefined) throw new OffRampRefused(`${anchorId} publishes no way to start in ${corridor}`);
  const fields = {
    asset_code: start.assetCode,
    destination_asset: start.destinationAsset,
    amount: sellAmount,
    account,
    on_change_callback: callbackUrl,
  };
  const headers = { authorization: `Bearer sim.${account}.wallet` };
  const answer = await call<{ id: string }>(
    start.method === 'POST' ? start.url : `${start.url}?${new URLSearchParams(fields)}`,
    start.method === 'POST' ? { json: fields, headers, signal } : { headers, signal },
  );
  // An anchor that grants the service no token is followed by its callbacks alone, the first of which is the payment.
  const pollable = anchorDefinitions.find(({ id }) => id === anchorId)?.partner ?? true;
  const { origin } = new URL(start.url);
  const { rpcUrl } = await call<{ rpcUrl: string | null }>(`${origin}/simulate/ledger`, { signal });
  return { id: answer.id, origin, url: `${origin}/${start.protocol}`, pollable, rpcUrl };
}

async function until(
  { serviceUrl, signal }: OffRamp,
  intentHash: string,
  reached: (intent: IntentAnswer) => boolean,
): Promise<IntentAnswer> {
  for (;;) {
    const intent = await call<IntentAnswer>(`${serviceUrl}/api/intent/${intentHash}`, { signal });
    if (reached(intent)) return intent;
    await sleep(pollMs, undefined, { signal });
  }
}

async function call<T>(
  url: string,
  options: { json?: object; headers?: Record<string, string>; signal: AbortSignal },
): Promise<T> {
  const { json, headers, signal } = options;
  const answer = await fetch(url, {
    method: json === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
    signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]),
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await answer.text();
  if (answer.status === 429) {
    // All wallets of this machine share one address, and so its limits.
    await sleep(Number(answer.headers.get('retry-after') ?? 1) * 1_000, undefined, { signal });
    return call(url, options);
  }
  if (!answer.ok)
    throw new OffRampRefused(`${new URL(url).pathname} answered ${answer.status}: ${text.slice(0, 200)}`);
  return JSON.parse(text) as T;
}
