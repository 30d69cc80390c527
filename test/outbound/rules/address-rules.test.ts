import { BlockList, isIP } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { blockReason, canonicalAddress } from '../../../server/outbound/address-rules.js';
import vectors from '../../vectors/outbound-addresses.json' with { type: 'json' };

/** Node's own range matcher over the registries, which shares neither code nor data with the rules. */
function registryOf(family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const cidr of vectors.specialPurpose[family]) {
    const [network = '', bits = ''] = cidr.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}

describe('blockReason', () => {
  it.each(vectors.svix.blocked)('refuses %s (Svix vectors)', (address) => {
    expect(blockReason(address)).toEqual(expect.any(String));
  });

  it.each([...vectors.svix.allowed, ...vectors.allowed])('allows the public address %s', (address) => {
    expect(blockReason(address)).toBeUndefined();
  });

  it.each(vectors.blocked)('refuses "$address": $why', ({ address }) => {
    expect(blockReason(address)).toEqual(expect.any(String));
  });

  it('names the range, so that a refusal can be understood', () => {
    expect(blockReason('127.0.0.1')).toBe('loopback');
    expect(blockReason('fec0::1')).toBe('site-local');
    expect(blockReason('2001:0:1::')).toBe('Teredo');
    expect(blockReason('::7f00:1')).toBe('IPv4-compatible');
  });

  it('agrees with the IANA registry on any IPv4 address, at the edges of ranges above all', () => {
    const registry = registryOf('ipv4');
    const edges = vectors.specialPurpose.ipv4.flatMap((cidr) => {
      const [network = '', bits = ''] = cidr.split('/');
      const first = network.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
      const last = first + 2 ** (32 - Number(bits)) - 1;
      return [first - 1, first, last, last + 1].filter((value) => value >= 0 && value < 2 ** 32);
    });
    const address = fc
      .oneof(fc.constantFrom(...edges), fc.nat(2 ** 32 - 1))
      .map((value) => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.'))
      .filter((text) => text !== '168.63.129.16');
    fc.assert(
      fc.property(address, (text) => {
        expect(blockReason(text) !== undefined).toBe(registry.check(text, 'ipv4'));
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses every IPv6 address that the IANA registry lists as special or that lies outside 2000::/3', () => {
    const registry = registryOf('ipv6');
    const prefix = fc.constantFrom(
      ...vectors.specialPurpose.ipv6.map((cidr) => Number.parseInt(cidr.split(':')[0] || '0', 16)),
    );
    const group = fc.oneof(fc.constantFrom(0, 1, 0xffff, 0x5efe), fc.nat(0xffff));
    const built = fc
      .tuple(fc.oneof(prefix, fc.nat(0xffff)), fc.array(group, { minLength: 7, maxLength: 7 }))
      .map(([first, rest]) => [first, ...rest].map((part) => part.toString(16)).join(':'));
    fc.assert(
      // fc.ipV6 adds the compressed and dotted forms that a resolver may write.
      fc.property(fc.oneof(built, fc.ipV6()), (text) => {
        const leading = Number.parseInt(text.split(':')[0] || '0', 16);
        const outside = leading < 0x2000 || leading > 0x3fff;
        if (outside || registry.check(text, 'ipv6')) expect(blockReason(text)).toEqual(expect.any(String));
        else blockReason(text);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('canonicalAddress', () => {
  it('gives all spellings of an address the same form', () => {
    expect(canonicalAddress('::ffff:127.0.0.1')).toBe(canonicalAddress('127.0.0.1'));
    expect(canonicalAddress('2600:1F00:0::1')).toBe(canonicalAddress('2600:1f00::1'));
    expect(canonicalAddress('fe80::1%eth0')).toBe(canonicalAddress('fe80::1'));
    expect(canonicalAddress('127.0.0.1')).not.toBe(canonicalAddress('127.0.0.2'));
  });

  it('is undefined for text that is not an address', () => {
    for (const text of [undefined, '', 'localhost', '0177.0.0.1']) {
      expect(isIP(text ?? '')).toBe(0);
      expect(canonicalAddress(text)).toBeUndefined();
    }
  });
});
