import { parse, TomlError } from 'smol-toml';
import { decodePublicKey, StrkeyError } from '../../../contract/verification/strkey.js';
import { maxTomlBytes } from '../../anchor-answers.rules.js';

/** The addresses of an anchor from its stellar.toml (SEP-1) or the fleet file; null if it has none. */
export interface AnchorEndpoints {
  quoteServer: string | null;
  transferServerSep24: string | null;
  transferServerSep6: string | null;
  /** SEP-31; only its presence matters, for the `context` of a SEP-38 price. */
  directPaymentServer: string | null;
  webAuthEndpoint: string | null;
  /** `G…`, checked strictly. */
  signingKey: string | null;
}

export const noEndpoints: AnchorEndpoints = {
  quoteServer: null,
  transferServerSep24: null,
  transferServerSep6: null,
  directPaymentServer: null,
  webAuthEndpoint: null,
  signingKey: null,
};

/** The address of the stellar.toml of a home domain or origin. */
export function tomlUrl(homeDomain: string): string {
  const origin = homeDomain.includes('://') ? homeDomain : `https://${homeDomain}`;
  return `${origin}/.well-known/stellar.toml`;
}

/**
 * Reads a stellar.toml. A field that is absent, of another type or not an acceptable address counts as absent: SEP-1
 * requires https everywhere; plain http is accepted only if the file itself was read over it (development).
 * Throws Sep1Error on what is not TOML or too large.
 */
export function parseStellarToml(body: Uint8Array, options: { readOver: 'http' | 'https' }): AnchorEndpoints {
  if (body.length > maxTomlBytes) throw new Sep1Error(`stellar.toml is larger than ${maxTomlBytes} bytes`);
  const toml = parseToml(body);
  const address = (name: string) => acceptAddress(toml[name], options.readOver);
  return {
    quoteServer: address('ANCHOR_QUOTE_SERVER'),
    transferServerSep24: address('TRANSFER_SERVER_SEP0024'),
    transferServerSep6: address('TRANSFER_SERVER'),
    directPaymentServer: address('DIRECT_PAYMENT_SERVER'),
    webAuthEndpoint: address('WEB_AUTH_ENDPOINT'),
    signingKey: acceptKey(toml.SIGNING_KEY),
  };
}

/** The stellar.toml is not usable. */
export class Sep1Error extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Sep1Error';
  }
}

function parseToml(body: Uint8Array): Record<string, unknown> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return parse(text, { maxDepth: 32 });
  } catch (error) {
    if (error instanceof TomlError || error instanceof TypeError || error instanceof RangeError) {
      throw new Sep1Error('stellar.toml is not valid TOML');
    }
    throw error;
  }
}

function acceptAddress(value: unknown, readOver: 'http' | 'https'): string | null {
  if (typeof value !== 'string' || value.length > 512 || !URL.canParse(value)) return null;
  const url = new URL(value);
  if (url.username !== '' || url.password !== '' || /[?#]/.test(value)) return null;
  const accepted = url.protocol === 'https:' || (url.protocol === 'http:' && readOver === 'http');
  return accepted ? url.href.replace(/\/+$/, '') : null;
}

function acceptKey(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  try {
    decodePublicKey(value);
    return value;
  } catch (error) {
    if (error instanceof StrkeyError) return null;
    throw error;
  }
}
