import { parseUrl } from '../anchor-documents/values.js';
import { waitByTimer } from '../client/attempt.js';
import type { Client } from '../client/generated/operations.js';
import type { OfframpState } from './state.js';

/** The wallet: methods of SEP-43. They may reject, or resolve to an `error` as SEP-43 has it. */
export interface OfframpWallet {
  /** The account that sells, `G…`. */
  getAddress(): Promise<{ address: string; error?: unknown }>;
  /** Adds the signature of the account to this very transaction (base64 XDR of the envelope) and submits nothing. */
  signTransaction(
    xdr: string,
    options: { networkPassphrase: string; address: string },
  ): Promise<{ signedTxXdr: string; error?: unknown }>;
  /**
   * Signs the hash of the intent (SEP-53), in base64, if the wallet can. Then no other intent that names the account can hold
   * the withdrawal. Without it, or where it is refused, the off-ramp goes on.
   */
  signMessage?(
    message: string,
    options: { networkPassphrase: string; address: string },
  ): Promise<{ signedMessage: string; error?: unknown }>;
}

/** The offer that was chosen: a quote of `getRates` with its corridor. */
export interface OfframpQuote {
  corridor: string;
  anchorId: string;
  /** Decimal string: what is sold, and the most that is paid. */
  sellAmount: string;
  deliveryMethod?: string | null;
}

/** The operations of the service that an off-ramp uses; `createClient` gives them. */
export type OfframpService = {
  anchors: Pick<Client['anchors'], 'getAnchor'>;
  intents: Pick<Client['intents'], 'createIntent' | 'attachTransaction' | 'getIntent'>;
};

export interface OfframpOptions {
  /** The service: `createClient(url)`. */
  service: OfframpService;
  /** A Stellar RPC server, where the payment is submitted and looked up. */
  rpcUrl: string;
  /** Shows the anchor's form to the person, in a window or a tab. Called again by a resumed run whose form is not completed. */
  open: (url: string) => void | Promise<void>;
  /** Stores the state. The next step is taken when it has resolved, and not at all if it rejects. */
  onState?: (state: OfframpState) => void | Promise<void>;
  /** Called with every new status of the anchor. */
  onStatus?: (status: string) => void;
  /** When it aborts, waiting and following stop, and the call rejects with `aborted`. */
  signal?: AbortSignal;
  /** The public network when absent. */
  networkPassphrase?: string;
  /**
   * The least payout to accept, in fiat. The service checks it when the intent is registered. It is checked again before
   * paying, if the anchor's record says what it will pay out; if not, only the quote was checked.
   */
  minReceive?: string;
  /** Highest fee for the payment, in stroops; 10,000 (0.001 XLM) when absent. The ledger charges no more than it needs. */
  maxFeeStroops?: string;
  /** For how long a party that does not answer is asked again; 60,000 when absent. */
  patienceMs?: number;
  /** For how long the form may take; 30 minutes when absent. */
  formPatienceMs?: number;
  /**
   * How long the payment waits for the service to have seen the withdrawal; 30,000 when absent. A withdrawal that was not
   * seen before does not count in the scores.
   */
  seenPatienceMs?: number;
  /** Pause between two polls; 2,000 when absent. */
  pollMs?: number;
  /** Sends requests to the anchor and the ledger; the global `fetch` when absent. */
  fetch?: typeof globalThis.fetch;
  /** Epoch milliseconds; for tests. */
  clock?: () => number;
  /** Waits; must reject when the signal aborts. For tests. */
  wait?: (waitMs: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** The options with their defaults, and what the steps of a run share. */
export interface Run extends Required<Omit<OfframpOptions, 'signal' | 'minReceive'>> {
  wallet: OfframpWallet;
  signal: AbortSignal | undefined;
  /** The token of the anchor; renewed when it has expired. */
  token: string;
  /** Whether the ledger confirmed that it belongs to the network. */
  isNetworkChecked: boolean;
  /** Stores a state that a step passes through. */
  save: (state: OfframpState) => Promise<void>;
}

const publicNetwork = 'Public Global Stellar Network ; September 2015';

export function withDefaults(
  options: OfframpOptions,
): Omit<Run, 'wallet' | 'token' | 'isNetworkChecked' | 'save'> {
  return {
    networkPassphrase: publicNetwork,
    onState: () => undefined,
    onStatus: () => undefined,
    maxFeeStroops: '10000',
    patienceMs: 60_000,
    formPatienceMs: 30 * 60_000,
    seenPatienceMs: 30_000,
    pollMs: 2_000,
    // Called as a bare function: in browsers, fetch throws when it is a method of anything but the window.
    fetch: (input, init) => globalThis.fetch(input, init),
    clock: Date.now,
    wait: waitByTimer,
    ...given(options),
    signal: options.signal,
  };
}

/** Drops options that are undefined, which callers may pass if their compiler allows it. */
function given<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

const times = ['patienceMs', 'formPatienceMs', 'seenPatienceMs', 'pollMs'] as const;

/** The first argument that cannot be used, checked before anything is called; null if there is none. */
export function argumentFault(wallet: OfframpWallet, options: OfframpOptions): string | null {
  const faults: [string, boolean][] = [
    ['wallet.getAddress', typeof wallet?.getAddress !== 'function'],
    ['wallet.signTransaction', typeof wallet?.signTransaction !== 'function'],
    ['options.service', typeof options?.service?.intents?.createIntent !== 'function'],
    ['options.rpcUrl', parseUrl(options?.rpcUrl) === null],
    ['options.open', typeof options?.open !== 'function'],
    ['options.maxFeeStroops', !/^[1-9]\d{0,9}$/.test(options?.maxFeeStroops ?? '100')],
  ];
  for (const name of times) faults.push([`options.${name}`, !((options?.[name] ?? 0) >= 0)]);
  return faults.find(([, isFaulty]) => isFaulty)?.[0] ?? null;
}
