import { describe, expect, it } from '@jest/globals';
import { Keypair } from '@stellar/stellar-base';
import fc from 'fast-check';
import { isRefused } from '../../../contract/anchor-documents/json.js';
import { readStellarToml } from '../../../contract/anchor-documents/stellar-toml.js';
import { discover, isSafeUrl } from '../../../contract/offramp/discovery.js';
import { exchange, patiently, Unavailable } from '../../../contract/offramp/exchange.js';
import type { Run } from '../../../contract/offramp/options.js';
import { pauseOf } from '../../../server/outbound/upstream-fault.js';
import { smallWorld, stored } from '../../fixtures/offramp/two-runs.js';

const signingKey = Keypair.random().publicKey();
const stranger = Keypair.random().publicKey();
const toml = `
SIGNING_KEY = "${signingKey}"
WEB_AUTH_ENDPOINT = "https://a.example/auth"
TRANSFER_SERVER_SEP0024 = "https://a.example/sep24"
`;
const asset = { assetCode: 'USDC', assetIssuer: null, destinationAsset: 'iso4217:NGN' };
const start = [{ protocol: 'sep24', corridor: 'usdc-ngn', ...asset }];
const body = { homeDomain: 'a.example', signingKey, start };
const run = {
  networkPassphrase: 'A network for tests',
  patienceMs: 0,
  clock: () => 0,
  fetch: async () => new Response(toml),
  service: { anchors: { getAnchor: async () => ({ status: 200, headers: new Headers(), body }) } },
} as unknown as Run;
const served = (text: string | Uint8Array<ArrayBuffer>, init?: ResponseInit) =>
  ({ ...run, fetch: async () => new Response(text, init) }) as Run;
const discovered = (of: Run, corridor = 'usdc-ngn') =>
  discover(of, { corridor, anchorId: 'a', sellAmount: '100' });

describe('where an anchor offers a corridor', () => {
  it.each(['usdc-ngn', 'USDC-NGN'])('is found for it as the service takes it: %s', async (corridor) => {
    expect(await discovered(run, corridor)).toMatchObject({ homeDomain: 'a.example', assetCode: 'USDC' });
  });

  const redirect = { status: 301, headers: { location: 'https://www.a.example' } };
  const unquoted = toml.replace(`"${signingKey}"`, signingKey);
  const otherScheme = toml.replace('https://a.example/auth', 'ftp://a.example');
  it.each([
    ['a redirect', served('', redirect), 'not_offered', 'stellar.toml: a redirect'],
    ['a page', served('<html>'), 'toml_invalid', 'line 1 is not TOML'],
    ['a key without quotes', served(unquoted), 'toml_invalid', 'line 2 is not TOML'],
    ['another scheme', served(otherScheme), 'toml_invalid', 'WEB_AUTH_ENDPOINT'],
    ['no address', served(toml.replace('WEB_AUTH_ENDPOINT', 'X')), 'not_offered', 'WEB_AUTH_ENDPOINT'],
    ["another's key", served(toml.replace(signingKey, stranger)), 'signing_key_mismatch', undefined],
    ['another network', served(`NETWORK_PASSPHRASE = "Another"${toml}`), 'wrong_network', 'Another'],
  ])('is not found behind %s, and the reason is told', async (_name, of, code, detail) => {
    const options = detail === undefined ? {} : { detail };
    await expect(discovered(of)).rejects.toMatchObject({ code, options });
    await expect(discovered(of, 'usdc-kes')).rejects.toMatchObject({ code: 'not_offered' });
  });

  it.each([
    ['http://127.0.0.1:8000/auth', 'http:', true],
    ['http://127.0.0.1:8000/auth', 'https:', false],
    ['http://anchor.example/auth', 'http:', false],
    ['https://anchor.example/auth', 'http:', true],
  ])('may be %s, named over %s: %j', (url, over, isSafe) => expect(isSafeUrl(url, over)).toBe(isSafe));

  it('is read alike by the service, however the file is written', async () => {
    const others = ['max_number=9223372036854775807', 'ORG = "Café"', 'ACCOUNTS=[\n"G1",\n"G2" ]'];
    const unused = fc.constantFrom('VERSION=2.0.0', ...others, '# a remark', '');
    const currencies = '[[CURRENCIES]]\nmax_number=18446744073709551615';
    const tables = ['', currencies, '[A]\nb=1\n[A]\nb=c', '[A]\nb="cut'];
    const file = fc.tuple(
      fc.constantFrom('"', "'"),
      unused,
      unused,
      fc.constantFrom(...tables),
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom('', '\uFEFF'),
      fc.constantFrom('', '/'),
      // In the latter, a letter with an accent is no UTF-8.
      fc.constantFrom<BufferEncoding>('utf8', 'latin1'),
    );
    await fc.assert(
      fc.asyncProperty(file, async ([q, first, second, last, newline, mark, slash, encoding]) => {
        const lines = [
          first,
          `SIGNING_KEY${q === '"' ? '=' : '  =  '}${q}${signingKey}${q}`,
          `  WEB_AUTH_ENDPOINT = ${q}https://a.example/auth${q} # SEP-10`,
          second === first ? '' : second,
          `TRANSFER_SERVER_SEP0024=${q}https://a.example/sep24${slash}${q}`,
          last,
        ];
        const body = Buffer.from(lines.join('\n').replaceAll('\n', newline), encoding);
        const bytes = Buffer.concat([Buffer.from(mark), body]);
        const forService = readStellarToml(bytes, { readOver: 'https' });
        if (isRefused(forService)) throw new Error(forService.refused);
        const same = { signingKey, webAuthEndpoint: 'https://a.example/auth' };
        const transferServer = 'https://a.example/sep24';
        expect(forService.endpoints).toMatchObject({ ...same, transferServerSep24: transferServer });
        expect(await discovered(served(bytes))).toMatchObject({ ...same, transferServer });
      }),
      { numRuns: 50 },
    );
  });
});

/** The waits between the calls to a party that always asks for the same pause. */
async function waitsFor(retryAfterMs: number | null): Promise<number[]> {
  const waits: number[] = [];
  let nowMs = 0;
  const patient = {
    patienceMs: 20_000,
    clock: () => nowMs,
    wait: async (ms: number) => {
      nowMs += ms;
      waits.push(ms);
      if (waits.length > 100) throw new Error('a storm of requests');
    },
  } as unknown as Run;
  const call = () => Promise.reject(new Unavailable('busy', retryAfterMs));
  const code = 'anchor_unavailable';
  await expect(patiently(patient, code, call)).rejects.toMatchObject({ code });
  return waits;
}

describe('a party that is unavailable', () => {
  it.each([
    ['ever more slowly, until the patience ends', null, [500, 1_000, 2_000, 4_000, 8_000]],
    ['no sooner than it says', 5_000, [5_000, 5_000, 5_000, 5_000]],
    ['no sooner than without its word: `Retry-After: 0` is no storm', 0, [500, 1_000, 2_000, 4_000, 8_000]],
  ])('is asked again %s', async (_how, retryAfterMs, waits) => {
    expect(await waitsFor(retryAfterMs)).toEqual(waits);
  });

  const nowMs = Date.parse('2026-11-26T18:09:10Z');
  async function expectPause(header: string, waitMs: number | null): Promise<void> {
    const fetch = async () => new Response('', { status: 429, headers: { 'retry-after': header } });
    const limited = { fetch, clock: () => nowMs } as unknown as Run;
    await expect(exchange(limited, 'https://a.example')).rejects.toMatchObject({ retryAfterMs: waitMs });
    expect(pauseOf(header, nowMs)).toBe(waitMs === null ? 5_000 : Math.max(1_000, waitMs));
  }

  it.each([
    ['Thu, 26 Nov 2026 18:09:00 GMT', 0],
    ['soon', null],
    ['-1', null],
  ])('`Retry-After: %s` is heeded by startOfframp and by the service', expectPause);

  it('is given the same pause by both, whether it says seconds or a date', async () => {
    const wait = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.boolean());
    const given = fc.asyncProperty(wait, ([seconds, asDate]) => {
      const date = new Date(nowMs + seconds * 1_000).toUTCString();
      return expectPause(asDate ? date : String(seconds), seconds * 1_000);
    });
    await fc.assert(given, { numRuns: 50 });
  });
});

it('an answer of an anchor that never ends is not read to the end', async () => {
  let pieces = 0;
  const endless = new ReadableStream({
    pull(controller) {
      pieces += 1;
      controller.enqueue(new Uint8Array(65_536).fill(0x20));
    },
  });
  const options = { fetch: async () => new Response(endless), patienceMs: 0 };
  const { ended } = await smallWorld().run(stored.attached, { options });
  expect(ended).toMatchObject({ code: 'anchor_unavailable', moneyMoved: 'no' });
  expect(pieces).toBeLessThan(40);
});
