import { describe, expect, it } from '@jest/globals';
import { clientKey, parseTrustProxy } from '../../../server/http/client-key.js';

const noProxy = parseTrustProxy('');
const proxy = parseTrustProxy('10.0.0.0/8, 192.0.2.7, fd00::/8');

describe('clientKey', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['::ffff:c633:6407', '198.51.100.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('of peer %s is %s', (peer, key) => {
    expect(clientKey(peer, undefined, noProxy)).toBe(key);
  });

  it('ignores X-Forwarded-For of a peer that is not a trusted proxy', () => {
    expect(clientKey('198.51.100.7', '203.0.113.9', proxy)).toBe('198.51.100.7');
  });

  it.each([
    ['one trusted hop', '203.0.113.9', '203.0.113.9'],
    ['a port behind the address', '198.51.100.1:40001', '198.51.100.1'],
    ['a port behind an IPv6 address', '[2001:db8:1::9]:4711', '2001:db8:1:0::/64'],
    ['ports behind every hop', '198.51.100.1:40001, 10.1.1.1:443', '198.51.100.1'],
    ['two trusted hops', '203.0.113.9, 10.1.1.1', '203.0.113.9'],
    ['a forged entry left of the client', '1.2.3.4, 203.0.113.9', '203.0.113.9'],
    ['an IPv6 client', '2001:db8::9', '2001:db8:0:0::/64'],
    ['a bracketed IPv6 client', '[2001:db8::9]', '2001:db8:0:0::/64'],
    ['no header', undefined, '10.2.2.2'],
    ['an unparsable entry', '203.0.113.9, unknown', '10.2.2.2'],
    ['an entry in another spelling of IPv4', '203.0.113.9, 0x7f.1', '10.2.2.2'],
    ['an unparsable entry behind a trusted hop', 'nonsense, 10.1.1.1', '10.1.1.1'],
  ])('walks from the right through trusted hops: %s', (_case, header, key) => {
    expect(clientKey('10.2.2.2', header, proxy)).toBe(key);
  });

  it('is the same for all peers without an address', () =>
    expect(clientKey(undefined, '203.0.113.9', proxy)).toBe('unknown'));
});

describe('parseTrustProxy', () => {
  it('names an entry that is no address or CIDR, or could be read as another one', () => {
    const wide = ['10.0.0.0/33', '::ffff:0:0/64'];
    for (const entry of ['office', '10/8', '172.16/12', '010.0.0.0/8', '0x0a.0.0.0/8', ...wide])
      expect(() => parseTrustProxy(`10.0.0.0/8, ${entry}`)).toThrow(`"${entry}"`);
  });

  it('reads an IPv4 range that is written as IPv6', () => {
    const trusted = parseTrustProxy('::ffff:10.0.0.0/104');
    expect(clientKey('10.1.2.3', '198.51.100.7', trusted)).toBe('198.51.100.7');
    expect(clientKey('11.1.2.3', '198.51.100.7', trusted)).toBe('11.1.2.3');
  });
});
