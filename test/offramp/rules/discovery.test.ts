import { describe, expect, it } from '@jest/globals';
import { Keypair } from '@stellar/stellar-base';
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
});
