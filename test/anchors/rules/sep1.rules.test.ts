import { describe, expect, it } from '@jest/globals';
import {
  noEndpoints,
  parseStellarToml,
  Sep1Error,
  tomlUrl,
} from '../../../server/features/anchors/sep1.rules.js';

const key = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const over = { readOver: 'https' as const };

function read(text: string, options: { readOver: 'http' | 'https' } = over) {
  return parseStellarToml(Buffer.from(text), options);
}

describe('a stellar.toml', () => {
  it('gives the servers and the signing key, without trailing slashes', () => {
    const found = read(`
      VERSION = "2.7.0"
      SIGNING_KEY = "${key}"
      ANCHOR_QUOTE_SERVER = "https://a.example/sep38/"
      TRANSFER_SERVER_SEP0024 = "https://a.example/sep24"
      TRANSFER_SERVER = "https://a.example/sep6"
      DIRECT_PAYMENT_SERVER = "https://a.example/sep31"
      WEB_AUTH_ENDPOINT = "https://a.example/auth"
      [DOCUMENTATION]
      ORG_NAME = "A"
      [[CURRENCIES]]
      code = "USDC"
    `);
    expect(found).toEqual({
      quoteServer: 'https://a.example/sep38',
      transferServerSep24: 'https://a.example/sep24',
      transferServerSep6: 'https://a.example/sep6',
      directPaymentServer: 'https://a.example/sep31',
      webAuthEndpoint: 'https://a.example/auth',
      signingKey: key,
    });
  });

  it.each([
    ['empty', ''],
    [
      'of other types',
      'SIGNING_KEY = 5\nANCHOR_QUOTE_SERVER = ["https://a.example"]\nTRANSFER_SERVER = {a = 1}',
    ],
    ['with a key mistyped', `SIGNING_KEY = "${key.slice(0, -1)}A"`],
    [
      'with a secret seed for a key',
      'SIGNING_KEY = "SAKICEVQLYWGSOJS4WW7HZJWAHZVEEBS527LHK5V4MLJALYKICQCJXMW"',
    ],
    ['with plain http', 'ANCHOR_QUOTE_SERVER = "http://a.example"'],
    ['with credentials', 'ANCHOR_QUOTE_SERVER = "https://u:p@a.example"'],
    ['with a query', 'ANCHOR_QUOTE_SERVER = "https://a.example/?x=1"'],
    ['with another scheme', 'ANCHOR_QUOTE_SERVER = "file:///etc/passwd"'],
    ['with no address', 'ANCHOR_QUOTE_SERVER = "a.example"'],
    ['with hostile names', '__proto__ = { quoteServer = "https://a.example" }\nconstructor = 1'],
  ])('%s is treated as absent, without an error', (_name, text) => {
    expect(read(text)).toEqual(noEndpoints);
  });

  it('may name http servers if it was read over plain http (development)', () => {
    const text = 'ANCHOR_QUOTE_SERVER = "http://127.0.0.1:7301/sep38"';
    expect(read(text, { readOver: 'http' }).quoteServer).toBe('http://127.0.0.1:7301/sep38');
  });

  it.each([
    ['not TOML', '<html>'],
    ['cut off', 'A = "'],
    ['nested for ever', `a = ${'['.repeat(50_000)}`],
    ['over 100 KB', `# ${'x'.repeat(102_400)}`],
  ])('is refused when %s', (_name, text) => {
    expect(() => read(text)).toThrow(Sep1Error);
  });

  it('is refused when it is not UTF-8', () => {
    expect(() => parseStellarToml(Buffer.from([0x41, 0x3d, 0x22, 0xff, 0x22]), over)).toThrow(Sep1Error);
  });

  it('is parsed in well under a second, whatever its 100 KB contain', () => {
    const dotted = `${Array(51_000).fill('a').join('.')} = 1`;
    const tables = '[[a]]\n'.repeat(17_000);
    const startedAt = performance.now();
    for (const text of [dotted, tables, `a = "${'\\u0041'.repeat(17_000)}"`]) read(text);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

describe('the address of a stellar.toml', () => {
  it('is https for a domain, and the origin itself for an origin', () => {
    expect(tomlUrl('cowrie.exchange')).toBe('https://cowrie.exchange/.well-known/stellar.toml');
    expect(tomlUrl('http://127.0.0.1:7301')).toBe('http://127.0.0.1:7301/.well-known/stellar.toml');
  });
});
