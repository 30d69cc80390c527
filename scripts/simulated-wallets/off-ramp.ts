import { Keypair, TransactionBuilder } from '@stellar/stellar-base';
import { createClient } from '../../contract/client/create-client.js';
import {
  type OfframpResult,
  type OfframpState,
  type OfframpWallet,
  startOfframp,
} from '../../contract/offramp/index.js';
import { simulatedNetwork } from '../simulated-ledger/payments.js';

/** One off-ramp of a simulated wallet, against a service and simulated anchors on this machine. */
export interface SimulatedOffRamp {
  serviceUrl: string;
  corridor: string;
  anchorId: string;
  wallet: SimulatedWallet;
  /** Decimal string. */
  sellAmount: string;
  /** The ending that the anchor shall produce; its profile decides if absent. */
  ending?: string;
  onState?: (state: OfframpState) => void | Promise<void>;
  signal: AbortSignal;
}

/** All wallets of this machine share one address, and so its limits. */
const pollMs = 1_500;

/** Opens the form itself, which fills it in, and signs everything. */
export async function offRamp(of: SimulatedOffRamp): Promise<OfframpResult> {
  const { serviceUrl, corridor, anchorId, wallet, sellAmount, ending, signal } = of;
  const service = createClient(serviceUrl);
  const { body: anchor } = await service.anchors.getAnchor({ params: { anchor: anchorId } });
  const origin = ('homeDomain' in anchor && anchor.homeDomain) || '';
  if (!URL.canParse(origin)) throw new Error(`${anchorId} has no stellar.toml on this machine`);
  const { rpcUrl } = await call<{ rpcUrl: string }>(`${origin}/simulate/ledger`, signal);
  return startOfframp({ corridor, anchorId, sellAmount }, wallet, {
    service,
    rpcUrl,
    networkPassphrase: simulatedNetwork,
    pollMs,
    signal,
    async open(url) {
      await fetch(url, { signal });
    },
    async onState(state) {
      await of.onState?.(state);
      if (ending === undefined || state.step !== 'started') return;
      await call(`${origin}/simulate/transactions/${state.withdrawal.id}/ending`, signal, { ending });
    },
  });
}

async function call<T>(url: string, signal: AbortSignal, json?: object): Promise<T> {
  const answer = await fetch(url, {
    signal,
    ...(json === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }),
  });
  if (!answer.ok)
    throw new Error(`${new URL(url).pathname} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** A wallet that signs whatever it is asked to, as one does whose owner always agrees. */
export interface SimulatedWallet extends OfframpWallet {
  /** `G…` */
  account: string;
}

/** `seed`: 32 bytes. */
export function walletOf(seed: Uint8Array): SimulatedWallet {
  const keys = Keypair.fromRawEd25519Seed(Buffer.from(seed));
  return {
    account: keys.publicKey(),
    getAddress: async () => ({ address: keys.publicKey() }),
    async signTransaction(xdr, { networkPassphrase }) {
      const transaction = TransactionBuilder.fromXDR(xdr, networkPassphrase);
      transaction.sign(keys);
      return { signedTxXdr: transaction.toXDR() };
    },
  };
}
