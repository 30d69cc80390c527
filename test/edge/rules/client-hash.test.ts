import { describe, expect, it } from '@jest/globals';
import { clientHash } from '../../../server/http/client-hash.js';

describe('the hash of a client', () => {
  it('is six hex digits, the same for the same client and without the address', () => {
    expect(clientHash('203.0.113.7')).toMatch(/^[0-9a-f]{6}$/);
    expect(clientHash('203.0.113.7')).toBe(clientHash('203.0.113.7'));
    expect(clientHash('203.0.113.7')).not.toContain('203');
  });

  it('differs between the clients of a small network, IPv6 included', () => {
    const keys = Array.from({ length: 256 }, (_, host) => `203.0.113.${host}`);
    const networks = Array.from({ length: 256 }, (_, net) => `2001:db8:0:${net.toString(16)}::/64`);
    expect(new Set([...keys, ...networks].map(clientHash)).size).toBeGreaterThan(510);
  });
});
