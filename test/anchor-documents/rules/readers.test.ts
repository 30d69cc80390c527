import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { isRefused, parseJson } from '../../../contract/anchor-documents/json.js';
import { noEndpoints, readStellarToml, tomlUrl } from '../../../contract/anchor-documents/stellar-toml.js';
import {
  isAsset,
  type MemoType,
  readAmount,
  readMemo,
  unreadable,
} from '../../../contract/anchor-documents/values.js';

const vectors: { read: [unknown, string][]; unreadable: unknown[]; absent: unknown[] } = JSON.parse(
  readFileSync(new URL('../../vectors/anchor-amounts.json', import.meta.url), 'utf8'),
);

describe('an amount of an anchor', () => {
  it.each(vectors.read)('%j is read as %s', (written, plain) => expect(readAmount(written)).toBe(plain));

  it.each(vectors.unreadable.map((written) => ({ written })))(
    '$written is unreadable, not absent',
    ({ written }) => expect(readAmount(written)).toBe(unreadable),
  );

  it.each(vectors.absent)('%j is absent', (written) => expect(readAmount(written)).toBeNull());
});

const usdc = 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const issuer = usdc.slice('stellar:USDC:'.length);

describe('an asset of an anchor', () => {
  it.each([
    [usdc, usdc, true],
    [`USDC:${issuer}`, usdc, true],
    ['USDC', usdc, true],
    ['stellar:USDC', usdc, true],
    [` STELLAR:USDC:${issuer}`, usdc, true],
    ['usdc', usdc, false],
    ['EURC', usdc, false],
    [`EURC:${issuer}`, usdc, false],
    [`USDC:${issuer.replace('GA5Z', 'GA5X')}`, usdc, false],
    [`${usdc}:1`, usdc, false],
    ['iso4217:USDC', usdc, false],
    ['iso4217:NGN', 'iso4217:NGN', true],
    ['ngn', 'iso4217:NGN', true],
    ['KES', 'iso4217:NGN', false],
    ['native', 'stellar:native', true],
    ['XLM', 'stellar:native', true],
    [usdc, 'stellar:native', false],
    ['', usdc, false],
  ])('%j for %s: %j', (named, expected, same) => expect(isAsset(named, expected)).toBe(same));
});

const hex = '0123456789abcdef'.repeat(4);
const base64 = Buffer.from(hex, 'hex').toString('base64');

describe('a memo of an anchor', () => {
  it.each<[MemoType, string, string | undefined]>([
    ['hash', hex, hex],
    ['hash', hex.toUpperCase(), hex],
    ['hash', base64, hex],
    ['hash', base64.replace('=', ''), hex],
    ['hash', Buffer.from(hex, 'hex').toString('base64url'), hex],
    ['return', base64, hex],
    ['hash', base64.slice(4), undefined],
    ['hash', hex.slice(2), undefined],
    ['id', '186384', '186384'],
    ['id', '000186384', '186384'],
    ['id', '18446744073709551615', '18446744073709551615'],
    ['id', '18446744073709551616', undefined],
    ['id', 'x', undefined],
    ['text', ' order 7 ', ' order 7 '],
    ['text', 'é'.repeat(15), undefined],
  ])('of type %s: %s is %s', (type, written, value) => expect(readMemo(type, written)).toBe(value));
});

describe('JSON of an anchor', () => {
  it('keeps every digit of 64-bit integers, and skips a byte order mark', () => {
    const text =
      '\uFEFF{"id":9223372036854775807,"a":[-12345678901234567,1.234567890123456789e2],"b":"x\\"12345678901234567890","c":1e2}';
    expect(parseJson(text)).toEqual({
      id: '9223372036854775807',
      a: ['-12345678901234567', '1.234567890123456789e2'],
      b: 'x"12345678901234567890',
      c: 100,
    });
    expect(() => parseJson('{"a":12345678901234567890')).toThrow(SyntaxError);
  });
});

const key = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const over = { readOver: 'https' as const };

function read(text: string) {
  const found = readStellarToml(Buffer.from(text), over);
  if (isRefused(found)) throw new Error(found.refused);
  return found;
}

describe('a stellar.toml', () => {
  it('gives the servers and the signing key, without trailing slashes', () => {
    const { endpoints } = read(`
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
    expect(endpoints).toEqual({
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
    expect(read(text).endpoints).toEqual(noEndpoints);
  });

  it.each([
    ['not TOML', '<html>', 'line 1 is not TOML'],
    ['cut off', 'VERSION = "1"\nA = "', 'line 2 is not TOML'],
    [
      'faulty in a member that is used',
      `X = y\n\nSIGNING_KEY = ${key}\n[DOCUMENTATION]`,
      'line 3 is not TOML',
    ],
    ['faulty, with what is used in a table', `[A]\nSIGNING_KEY = "${key}"\nX = y`, 'line 3 is not TOML'],
    ['nested for ever', `a = ${'['.repeat(50_000)}`, 'line 1 is not TOML'],
    ['over 100 KB', `# ${'x'.repeat(102_400)}`, 'it is larger than 102400 bytes'],
  ])('is refused when %s, with the line', (_name, text, refused) => {
    expect(readStellarToml(Buffer.from(text), over)).toEqual({ refused });
  });

  it.each([
    ['SIGNING_KEY = 5', 'SIGNING_KEY'],
    ['TRANSFER_SERVER = "http://a.example"', 'TRANSFER_SERVER'],
  ])('tells which member cannot be used: %s', (text, member) =>
    expect(read(text).unreadable).toEqual([member]),
  );

  const used = `SIGNING_KEY = "${key}"\nWEB_AUTH_ENDPOINT = "https://a.example/auth"\n`;
  it.each([
    ['an integer of 64 bits', `${used}[[CURRENCIES]]\ncode = "USDC"\nmax_number=9223372036854775807`],
    ['a larger one', `${used}[[CURRENCIES]]\nmax_number=18446744073709551615`],
    ['a version without quotes', `VERSION=2.7.0\r\n${used}`],
    ['accounts without quotes', `${used}ACCOUNTS=[${key}]\n[DOCUMENTATION]\nORG_NAME = "A"`],
    [
      'a table that is there twice',
      `${used}[DOCUMENTATION]\nORG_NAME = "A"\n[DOCUMENTATION]\nORG_NAME = "B"`,
    ],
    ['a principal that is cut off', `${used}[[PRINCIPALS]]\nname = "Ann`],
    ['a byte order mark', `\uFEFF${used}`],
    ['an empty address', `${used}ANCHOR_QUOTE_SERVER = ""`],
  ])('is read with %s: what is not used does not decide', (_name, text) => {
    expect(read(text)).toMatchObject({
      endpoints: { ...noEndpoints, signingKey: key, webAuthEndpoint: 'https://a.example/auth' },
      unreadable: [],
    });
  });
});

describe('the address of a stellar.toml', () => {
  it('is https for a domain, and the origin itself for an origin', () => {
    expect(tomlUrl('cowrie.exchange')).toBe('https://cowrie.exchange/.well-known/stellar.toml');
    expect(tomlUrl('http://127.0.0.1:7301')).toBe('http://127.0.0.1:7301/.well-known/stellar.toml');
  });
});
