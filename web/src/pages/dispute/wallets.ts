import { readSignature } from './signature.js';

/** The part of SEP-43 (1.2.1) that a dispute needs; SEP-53 says what is signed. */
interface Sep43 {
  signMessage(message: string, options: { address: string }): Promise<WalletAnswer>;
}

/** Nothing in it can be relied on: it is another program's. */
interface WalletAnswer {
  signedMessage?: unknown;
  signerAddress?: unknown;
  error?: unknown;
}

export interface Wallet {
  name: string;
  api: Sep43;
}

/**
 * The places where extensions are known to put an object that implements SEP-43. The standard says what such an object can
 * do, but not where a page finds it.
 */
const places: { name: string; path: readonly string[] }[] = [
  { name: 'Klever', path: ['kleverWallet', 'stellar'] },
  { name: 'OneKey', path: ['$onekey', 'stellar'] },
  { name: 'Cactus Link', path: ['cactuslink_stellar'] },
  { name: 'Scopuly', path: ['scopuly'] },
  { name: 'D’CENT', path: ['dcentStellarProvider'] },
];

/** The wallets in this browser. Freighter is asked by messages, and a browser without it takes two seconds to be sure. */
export async function findWallets(): Promise<Wallet[]> {
  const injected = places.flatMap(({ name, path }) => {
    const api = path.reduce<unknown>((value, key) => Object(value)[key], globalThis);
    return isSep43(api) ? [{ name, api }] : [];
  });
  const freighter = await import('@stellar/freighter-api');
  const { isConnected } = await freighter.isConnected();
  return isConnected ? [{ name: 'Freighter', api: freighter }, ...injected] : injected;
}

function isSep43(value: unknown): value is Sep43 {
  return typeof Object(value).signMessage === 'function';
}

/** The signature, or why there is none; `message` is the wallet's own. */
export type Signed =
  | { kind: 'signed'; signature: string }
  | { kind: 'declined' }
  | { kind: 'otherKey'; address: string }
  | { kind: 'failed'; message: string };

/** What SEP-43 calls a request that the user rejected. */
const rejectedByUser = -4;

/** Has a wallet sign an intent hash with the key of an address. */
export async function signWithWallet({ api }: Wallet, intentHash: string, address: string): Promise<Signed> {
  const { error, signedMessage, signerAddress } = await ask(api, intentHash, address);
  if (error !== undefined && error !== null) {
    const { code, message } = Object(error) as { code?: unknown; message?: unknown };
    return code === rejectedByUser
      ? { kind: 'declined' }
      : { kind: 'failed', message: String(message ?? error) };
  }
  if (typeof signerAddress === 'string' && signerAddress !== '' && signerAddress !== address)
    return { kind: 'otherKey', address: signerAddress };
  const signature = readSignature(signedMessage);
  return signature === undefined ? { kind: 'failed', message: '' } : { kind: 'signed', signature };
}

/** A wallet may also throw, return no promise, or answer with nothing. */
async function ask(api: Sep43, intentHash: string, address: string): Promise<WalletAnswer> {
  try {
    return Object(await api.signMessage(intentHash, { address }));
  } catch (error) {
    return { error: error ?? 'no reason' };
  }
}
