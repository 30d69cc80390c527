import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A range that is never called on behalf of others. */
export interface AddressRule {
  cidr: string;
  /** What the range is, as an operator would name it. */
  name: string;
  /** The document that reserves the range. */
  source: string;
}

/** Ranges that the IANA IPv4 Special-Purpose Address Registry lists as not global, multicast, and a cloud's host agent. */
export const blockedIpv4: readonly AddressRule[] = [
  { cidr: '0.0.0.0/8', name: 'this network', source: 'RFC 791' },
  { cidr: '10.0.0.0/8', name: 'private', source: 'RFC 1918' },
  { cidr: '100.64.0.0/10', name: 'shared address space', source: 'RFC 6598' },
  { cidr: '127.0.0.0/8', name: 'loopback', source: 'RFC 1122' },
  { cidr: '168.63.129.16/32', name: 'cloud host agent', source: 'Azure virtual public IP' },
  { cidr: '169.254.0.0/16', name: 'link-local', source: 'RFC 3927' },
  { cidr: '172.16.0.0/12', name: 'private', source: 'RFC 1918' },
  { cidr: '192.0.0.0/24', name: 'protocol assignments', source: 'RFC 6890' },
  { cidr: '192.0.2.0/24', name: 'documentation', source: 'RFC 5737' },
  { cidr: '192.88.99.0/24', name: '6to4 relay', source: 'RFC 7526' },
  { cidr: '192.168.0.0/16', name: 'private', source: 'RFC 1918' },
  { cidr: '198.18.0.0/15', name: 'benchmarking', source: 'RFC 2544' },
  { cidr: '198.51.100.0/24', name: 'documentation', source: 'RFC 5737' },
  { cidr: '203.0.113.0/24', name: 'documentation', source: 'RFC 5737' },
  { cidr: '224.0.0.0/4', name: 'multicast', source: 'RFC 5771' },
  { cidr: '240.0.0.0/4', name: 'reserved and broadcast', source: 'RFC 1112' },
];

/**
 * IPv6 outside global unicast (2000::/3) is refused as a whole; ranges outside it are listed to name them in errors.
 * Every form that embeds an IPv4 address is refused, a public one too: a public host can be called at that address.
 */
const blockedIpv6: readonly AddressRule[] = [
  { cidr: '::/128', name: 'unspecified', source: 'RFC 4291' },
  { cidr: '::1/128', name: 'loopback', source: 'RFC 4291' },
  { cidr: '::ffff:0:0/96', name: 'IPv4-mapped', source: 'RFC 4291' },
  { cidr: '::ffff:0:0:0/96', name: 'IPv4-translated', source: 'RFC 2765' },
  { cidr: '::/96', name: 'IPv4-compatible', source: 'RFC 4291' },
  { cidr: '64:ff9b::/96', name: 'NAT64', source: 'RFC 6052' },
  { cidr: '64:ff9b:1::/48', name: 'local NAT64', source: 'RFC 8215' },
  { cidr: '100::/64', name: 'discard-only', source: 'RFC 6666' },
  { cidr: '100:0:0:1::/64', name: 'dummy prefix', source: 'RFC 9780' },
  { cidr: '2001::/32', name: 'Teredo', source: 'RFC 4380' },
  { cidr: '2001::/23', name: 'protocol assignments', source: 'RFC 2928' },
  { cidr: '2001:db8::/32', name: 'documentation', source: 'RFC 3849' },
  { cidr: '2002::/16', name: '6to4', source: 'RFC 3056' },
  { cidr: '3ffe::/16', name: 'returned 6bone', source: 'RFC 3701' },
  { cidr: '3fff::/20', name: 'documentation', source: 'RFC 9637' },
  { cidr: '5f00::/16', name: 'segment routing', source: 'RFC 9602' },
  { cidr: 'fc00::/7', name: 'unique local', source: 'RFC 4193' },
  { cidr: 'fe80::/10', name: 'link-local', source: 'RFC 4291' },
  { cidr: 'fec0::/10', name: 'site-local', source: 'RFC 3879' },
  { cidr: 'ff00::/8', name: 'multicast', source: 'RFC 4291' },
];

const ranges4 = blockedIpv4.map((rule) => ({ rule, range: ipaddr.IPv4.parseCIDR(rule.cidr) }));
const ranges6 = blockedIpv6.map((rule) => ({ rule, range: ipaddr.IPv6.parseCIDR(rule.cidr) }));
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Why an address is refused; undefined if it may be called.
 * @param address an IP address as DNS, a socket or the URL parser writes it; anything else is refused.
 */
export function blockReason(address: string): string | undefined {
  switch (isIP(address)) {
    case 4: {
      const parsed = ipaddr.IPv4.parse(address);
      return ranges4.find(({ range }) => parsed.match(range))?.rule.name;
    }
    case 6:
      return address.includes('%') ? 'scoped to one link' : blockReason6(ipaddr.IPv6.parse(address));
    default:
      return 'not an IP address';
  }
}

function blockReason6(address: ipaddr.IPv6): string | undefined {
  const named = ranges6.find(({ range }) => address.match(range));
  if (named) return named.rule.name;
  if (!address.match(globalUnicast)) return 'outside global unicast';
  // RFC 5214 section 6.1: interface identifier ::[02]00:5efe:a.b.c.d, under any prefix.
  const [high, low] = address.parts.slice(4, 6);
  return low === 0x5efe && (high === 0 || high === 0x200) ? 'ISATAP' : undefined;
}

/** One spelling per address, without its zone, so that two addresses can be compared; undefined if it is not an address. */
export function canonicalAddress(address: string | undefined): string | undefined {
  const bare = address?.replace(/%.*$/, '');
  return bare !== undefined && isIP(bare) !== 0 ? ipaddr.process(bare).toNormalizedString() : undefined;
}
