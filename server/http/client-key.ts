import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** 24 bits: some 256 IPv4 addresses share each value. */
const hexDigits = 6;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type TrustedRange = [Address, number];

function wholeAddress(address: Address): TrustedRange {
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Refuses `10/8`, which ipaddr.js reads as 0.0.0.0/8, and converts IPv4 ranges in IPv6 form, which no peer would match. */
function parseRange(text: string): TrustedRange | undefined {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return ipaddr.IPv4.parseCIDR(text);
  if (!ipaddr.IPv6.isValidCIDR(text)) return undefined;
  const [address, bits] = ipaddr.IPv6.parseCIDR(text);
  if (!address.isIPv4MappedAddress()) return [address, bits];
  return bits < 96 ? undefined : [address.toIPv4Address(), bits - 96];
}

/** The widest private ranges are 10.0.0.0/8 and fc00::/7. */
const leastBits = 7;

/** Whether a range is wider than any that is private: trusting it lets clients choose what their requests are counted by. */
export function trustsTheInternet(trusted: readonly TrustedRange[]): boolean {
  return trusted.some(([, bits]) => bits < leastBits);
}

/**
 * The key a client's requests are counted by: its IPv4 address, or the /64 of its IPv6 address.
 *
 * `::ffff:a.b.c.d` is unmapped first, else every IPv4 client of a dual-stack listener would share one /64.
 * X-Forwarded-For is walked from the right, only through trusted hops; an entry that does not parse ends the
 * walk at the last trusted hop, so that a forged header never chooses a key.
 */
export function clientKey(
  remoteAddress: string | undefined,
  forwardedFor: string | undefined,
  trusted: readonly TrustedRange[],
): string {
  let hop = parseAddress(remoteAddress ?? '');
  if (hop === undefined) return 'unknown';
  const claims = (forwardedFor ?? '').split(',').map((part) => part.trim());
  while (isTrusted(hop, trusted)) {
    const claim = claims.pop();
    const earlier = claim === undefined ? undefined : parseAddress(withoutPort(claim));
    if (earlier === undefined) break;
    hop = earlier;
  }
  return toKey(hop);
}

export type ClientKeyOf = (remoteAddress: string | undefined, forwardedFor: string | undefined) => string;
/** The key of the window that an operation has for a client. */
export type WindowKeyOf = (operationId: string, ...client: Parameters<ClientKeyOf>) => string;

const known = { keys: 50_000, textLength: 150 };

/** Azure's gateway and others append the port: `198.51.100.1:40001`, `[2001:db8::1]:4711`. */
function withoutPort(claim: string): string {
  return claim.replace(/^(\[[^\]]+\]|\d+\.\d+\.\d+\.\d+):\d{1,5}$/, '$1');
}

function parseAddress(text: string): Address | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
  // ipaddr.js also reads `1` and `0x7f.1` as IPv4; a peer address is never written that way.
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined;
  return ipaddr.process(bare);
}

function isTrusted(address: Address, trusted: readonly TrustedRange[]): boolean {
  return trusted.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
}

/**
 * The form in which a client may be stored, so that stored work can be shared out fairly: the first 24 bits of the
 * SHA-256 of its client key. Equal clients have equal values, but a value names no address: 256 IPv4
 * addresses have the same. Two clients that share a value by chance only share their turns.
 */
export function clientHash(clientKey: string): string {
  return createHash('sha256').update(`fairlead.client.v1|${clientKey}`).digest('hex').slice(0, hexDigits);
}

/** Parses TRUST_PROXY, a comma-separated list of addresses and CIDRs. Throws an error that names an invalid entry. */
export function parseTrustProxy(text: string): TrustedRange[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const address = parseAddress(entry);
      const range = address === undefined ? parseRange(entry) : wholeAddress(address);
      if (range === undefined) throw new Error(`"${entry}" is neither an address nor a CIDR`);
      return range;
    });
}

/**
 * Keeps the keys of clients that come again. Parsing an address takes a tenth of the time of a cached answer, and a map
 * finds the string that it was given before more quickly than an equal one, which has to be hashed first.
 */
export function createWindowKeyOf(clientKeyOf: ClientKeyOf): WindowKeyOf {
  // `max` would take the memory for all of them at once.
  const keys = new LRUCache<string, string>({ maxSize: known.keys, sizeCalculation: () => 1 });
  return (operationId, remoteAddress, forwardedFor) => {
    const text = `${operationId} ${remoteAddress} ${forwardedFor}`;
    let key = keys.peek(text);
    if (key === undefined) {
      key = windowKey(operationId, clientKeyOf(remoteAddress, forwardedFor));
      if (text.length <= known.textLength) keys.set(text, key);
    }
    return key;
  };
}

/** Each operation has a window of its own for each client. */
export function windowKey(operationId: string, client: string): string {
  return `${operationId}|${client}`;
}

function toKey(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString();
  const parts = (address as ipaddr.IPv6).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`;
}
