import { parse, TomlError } from 'smol-toml';
import { decodePublicKey, StrkeyError } from '../verification/strkey.js';
import type { Refused } from './json.js';
import { parseUrl } from './values.js';

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

export interface StellarToml {
  endpoints: AnchorEndpoints;
  networkPassphrase: string | null;
  /** The members that are there and cannot be used. */
  unreadable: readonly string[];
}

/** SEP-1 §Specification. */
export const maxTomlBytes = 100 * 1024;

const usedMembers = [
  'ANCHOR_QUOTE_SERVER',
  'TRANSFER_SERVER_SEP0024',
  'TRANSFER_SERVER',
  'DIRECT_PAYMENT_SERVER',
  'WEB_AUTH_ENDPOINT',
  'SIGNING_KEY',
  'NETWORK_PASSPHRASE',
] as const;

type Member = (typeof usedMembers)[number];
const usedLine = new RegExp(`^\\s*["']?(${usedMembers.join('|')})["']?\\s*=`);

/** The address of the stellar.toml of a home domain or origin. */
export function tomlUrl(homeDomain: string): string {
  const origin = homeDomain.includes('://') ? homeDomain : `https://${homeDomain}`;
  return `${origin}/.well-known/stellar.toml`;
}

/**
 * Reads a stellar.toml. An address must be https (SEP-1); plain http is accepted only if the file itself was read over it
 * (development). Bytes that are no UTF-8 count as any other character.
 */
export function readStellarToml(
  body: Uint8Array | string,
  options: { readOver: 'http' | 'https' },
): StellarToml | Refused {
  if (body.length > maxTomlBytes) return { refused: `it is larger than ${maxTomlBytes} bytes` };
  const toml = parseUsed(typeof body === 'string' ? body : new TextDecoder().decode(body));
  if (typeof toml === 'string') return { refused: toml };
  const unreadable: string[] = [];
  const members = toml;
  function use(member: Member, accept: (value: string) => string | null): string | null {
    const value = members[member];
    if (value === undefined || value === '') return null;
    const accepted = typeof value === 'string' ? accept(value) : null;
    if (accepted === null) unreadable.push(member);
    return accepted;
  }
  const accept = (value: string) => acceptAddress(value, options.readOver);
  // Paths are appended to the address of a server.
  const server = (member: Member) =>
    use(member, (value) => (value.includes('?') ? null : (accept(value)?.replace(/\/+$/, '') ?? null)));
  return {
    endpoints: {
      quoteServer: server('ANCHOR_QUOTE_SERVER'),
      transferServerSep24: server('TRANSFER_SERVER_SEP0024'),
      transferServerSep6: server('TRANSFER_SERVER'),
      directPaymentServer: server('DIRECT_PAYMENT_SERVER'),
      webAuthEndpoint: use('WEB_AUTH_ENDPOINT', accept),
      signingKey: use('SIGNING_KEY', acceptKey),
    },
    networkPassphrase: use('NETWORK_PASSPHRASE', (value) => value),
    unreadable,
  };
}

/** The members, or the line at which the file cannot be read. A fault in what is not used does not decide. */
function parseUsed(text: string): Record<string, unknown> | string {
  const whole = parseToml(text);
  if (typeof whole !== 'string') return whole;
  const lines = text.split(/\r?\n/);
  const firstTable = lines.findIndex((line) => /^\s*\[/.test(line));
  const head = firstTable < 0 ? lines : lines.slice(0, firstTable);
  // The other lines are left blank, so that a fault still has its line.
  const used = head.map((line) => (usedLine.test(line) ? line : ''));
  return used.every((line) => line === '') ? whole : parseToml(used.join('\n'));
}

function parseToml(text: string): Record<string, unknown> | string {
  try {
    return parse(text, { maxDepth: 32, integersAsBigInt: true });
  } catch (error) {
    if (error instanceof TomlError) return `line ${error.line} is not TOML`;
    if (error instanceof TypeError || error instanceof RangeError) return 'it is not TOML';
    throw error;
  }
}

function acceptAddress(value: string, readOver: 'http' | 'https'): string | null {
  const url = value.length > 512 ? null : parseUrl(value);
  if (url === null) return null;
  if (url.username !== '' || url.password !== '' || value.includes('#')) return null;
  const accepted = url.protocol === 'https:' || (url.protocol === 'http:' && readOver === 'http');
  return accepted ? url.href : null;
}

function acceptKey(value: string): string | null {
  try {
    decodePublicKey(value.trim());
    return value.trim();
  } catch (error) {
    if (error instanceof StrkeyError) return null;
    throw error;
  }
}
