import { describe, expect, it } from '@jest/globals';
import { Keypair } from '@stellar/stellar-base';
import fc from 'fast-check';
import { isRefused } from '../../../contract/anchor-documents/json.js';
import { readStellarToml } from '../../../contract/anchor-documents/stellar-toml.js';
import { discover } from '../../../contract/offramp/discovery.js';
import type { Run } from '../../../contract/offramp/options.js';

const signingKey = Keypair.random().publicKey();
const networkPassphrase = 'A network for tests';
const toml = `
SIGNING_KEY = "${signingKey}"
WEB_AUTH_ENDPOINT = "https://a.example/auth"
TRANSFER_SERVER_SEP0024 = "https://a.example/sep24"
`;
const start = [
  {
    protocol: 'sep24',
    corridor: 'usdc-ngn',
    assetCode: 'USDC',
    assetIssuer: null,
    destinationAsset: 'iso4217:NGN',
  },
];
const run = {
  networkPassphrase,
  patienceMs: 0,
  clock: () => 0,
  fetch: async () => new Response(toml),
  service: {
    anchors: {
      getAnchor: async () => ({
        status: 200,
        headers: new Headers(),
        body: { homeDomain: 'a.example', signingKey, start },
      }),
    },
  },
} as unknown as Run;

describe('where an anchor offers a corridor', () => {
  it.each(['usdc-ngn', 'USDC-NGN'])(
    'is found for the corridor as the service takes it: %s',
    async (corridor) => {
      const found = await discover(run, { corridor, anchorId: 'a', sellAmount: '100' });
      expect(found).toMatchObject({ homeDomain: 'a.example', assetCode: 'USDC' });
    },
  );

  it('is nowhere for another corridor', async () => {
    const asked = discover(run, { corridor: 'usdc-kes', anchorId: 'a', sellAmount: '100' });
    await expect(asked).rejects.toMatchObject({ code: 'not_offered' });
  });

  const served = (body: string | Uint8Array<ArrayBuffer>, init?: ResponseInit) =>
    ({ ...run, fetch: async () => new Response(body, init) }) as Run;
  const discovered = (of: Run) => discover(of, { corridor: 'usdc-ngn', anchorId: 'a', sellAmount: '100' });

  it.each([
    [
      'a redirect',
      served('', { status: 301, headers: { location: 'https://www.a.example' } }),
      'not_offered',
      'stellar.toml: a redirect',
    ],
    ['a page', served('<html>'), 'toml_invalid', 'line 1 is not TOML'],
    [
      'a key without quotes',
      served(toml.replace(`"${signingKey}"`, signingKey)),
      'toml_invalid',
      'line 2 is not TOML',
    ],
    [
      'another scheme',
      served(toml.replace('https://a.example/auth', 'ftp://a.example')),
      'toml_invalid',
      'WEB_AUTH_ENDPOINT',
    ],
  ])('is not found behind %s, and the reason is told', async (_name, of, code, detail) => {
    await expect(discovered(of)).rejects.toMatchObject({ code, options: { detail } });
  });

  it('is read alike by the service, however the file is written', async () => {
    const quote = fc.constantFrom('"', "'");
    const unused = fc.constantFrom(
      'VERSION=2.0.0',
      'max_number=9223372036854775807',
      'ORG = "Café \uFFFD"',
      'ACCOUNTS=[\n"G1",\n"G2" ]',
      '# a remark',
      '',
    );
    const table = fc.constantFrom(
      '',
      '[[CURRENCIES]]\nmax_number=18446744073709551615',
      '[A]\nb=1\n[A]\nb=c',
      '[A]\nb="cut off',
    );
    const end = fc.constantFrom('\n', '\r\n');
    const file = fc.tuple(
      quote,
      unused,
      unused,
      table,
      end,
      fc.constantFrom('', '\uFEFF'),
      fc.constantFrom('', '/'),
    );
    await fc.assert(
      fc.asyncProperty(file, async ([q, first, second, last, newline, mark, slash]) => {
        const lines = [
          first,
          `SIGNING_KEY${q === '"' ? '=' : '  =  '}${q}${signingKey}${q}`,
          `  WEB_AUTH_ENDPOINT = ${q}https://a.example/auth${q} # SEP-10`,
          second === first ? '' : second,
          `TRANSFER_SERVER_SEP0024=${q}https://a.example/sep24${slash}${q}`,
          last,
        ];
        const text = mark + lines.join('\n').replaceAll('\n', newline);
        const forService = readStellarToml(Buffer.from(text), { readOver: 'https' });
        if (isRefused(forService)) throw new Error(forService.refused);
        const {
          signingKey: key,
          webAuthEndpoint,
          transferServerSep24: transferServer,
        } = forService.endpoints;
        expect(await discovered(served(text))).toMatchObject({
          signingKey: key,
          webAuthEndpoint,
          transferServer,
        });
        expect({ key, webAuthEndpoint, transferServer }).toEqual({
          key: signingKey,
          webAuthEndpoint: 'https://a.example/auth',
          transferServer: 'https://a.example/sep24',
        });
      }),
      { numRuns: 50 },
    );
  });
});
