import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { FleetError, parseFleet } from '../../../server/features/anchors/fleet-file.rules.js';

const issuer = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';

function anchor(patch: object = {}) {
  return {
    id: 'harbour',
    name: 'Harbour',
    homeDomain: 'harbour.example',
    corridors: [{ id: 'usdc-ngn', deliveryMethods: ['bank_account'] }],
    ...patch,
  };
}

function fleet(patch: object = {}) {
  return JSON.stringify({ corridors: [corridor()], anchors: [anchor()], ...patch });
}

function faultsOf(text: string): string {
  try {
    parseFleet(text);
  } catch (error) {
    if (error instanceof FleetError) return error.message;
    throw error;
  }
  return '';
}

describe('a fleet file', () => {
  it.each<[what: string, patch: object, read: object]>([
    [
      'has its assets in full',
      {},
      { sellCode: 'USDC', sellIssuer: issuer, currency: 'NGN', payoutDecimals: 2, country: 'NG' },
    ],
    ['needs no country', { country: undefined }, { countryMatters: false, country: null }],
    [
      'may be of one country of several',
      { id: 'usdc-xof-sn', buyAsset: 'iso4217:XOF', country: 'SN' },
      { countryMatters: true, payoutDecimals: 0 },
    ],
    // The minor units of ISO 4217, not those of Intl.
    ...[...Object.entries({ UGX: 0, XOF: 0, COP: 2, IDR: 2, KWD: 3 })].map(
      ([currency, payoutDecimals]): [string, object, object] => [
        `has the minor units of ${currency}`,
        { id: `usdc-${currency.toLowerCase()}`, buyAsset: `iso4217:${currency}`, country: undefined },
        { payoutDecimals },
      ],
    ),
  ])('lists a corridor that %s', (_what, patch, read) => {
    const { corridors } = parseFleet(fleet({ corridors: [corridor(patch)], anchors: [] }));
    expect(corridors[0]).toMatchObject(read);
  });

  it('sorts corridors and anchors by id and normalises amounts', () => {
    const { corridors, anchors } = parseFleet(
      fleet({
        corridors: [
          corridor({ referenceAmount: '100.50', min: '10.0' }),
          corridor({ id: 'eurc-ngn', sellAsset: `stellar:EURC:${issuer}` }),
        ],
        anchors: [anchor({ id: 'zebra' }), anchor({ id: 'able' })],
      }),
    );
    expect(corridors.map(({ id }) => id)).toEqual(['eurc-ngn', 'usdc-ngn']);
    expect(anchors.map(({ id }) => id)).toEqual(['able', 'zebra']);
    expect(corridors[1]).toMatchObject({ referenceAmount: '100.5', min: '10' });
  });

  it('marks every anchor of a simulated fleet as simulated', () => {
    const { anchors } = parseFleet(
      fleet({ simulated: true, anchors: [anchor(), anchor({ id: 'real', simulated: false })] }),
    );
    expect(anchors.map(({ id, simulated }) => [id, simulated])).toEqual([
      ['harbour', true],
      ['real', false],
    ]);
  });

  const ofCorridor = (patch: object) => fleet({ corridors: [corridor(patch)] });
  const ofAnchor = (patch: object) => fleet({ anchors: [anchor(patch)] });
  const served = (patch: object) =>
    ofAnchor({ corridors: [{ id: 'usdc-ngn', deliveryMethods: ['cash'], ...patch }] });
  const mistyped = `${issuer.slice(0, -1)}A`;

  it.each([
    ['{', 'it is not JSON'],
    ['[]', 'the file: '],
    [fleet({ corridors: [] }), 'corridors: '],
    [fleet({ anchor: [] }), "the file: Unrecognized key(s) in object: 'anchor'"],
    [ofCorridor({ max: '1e4' }), 'corridors[0].max: '],
    [ofCorridor({ max: 10_000 }), 'corridors[0].max: '],
    [ofCorridor({ min: '10001' }), 'corridors[0].min: is more than max'],
    [ofCorridor({ referenceAmount: '1' }), 'corridors[0].referenceAmount: is not between min and max'],
    [ofCorridor({ id: 'usdc-kes' }), 'corridors[0].id: must be usdc-ngn or usdc-ngn-ng'],
    [
      ofCorridor({ id: 'usdc-xyz', buyAsset: 'iso4217:XYZ' }),
      'corridors[0].buyAsset: XYZ is not a known ISO 4217 currency',
    ],
    [
      ofCorridor({ sellAsset: `stellar:USDC:${mistyped}` }),
      'corridors[0].sellAsset: the issuer has a wrong checksum',
    ],
    [fleet({ corridors: [corridor(), corridor()] }), 'corridors[1].id: usdc-ngn is listed twice'],
    [fleet({ anchors: [anchor(), anchor()] }), 'anchors[1].id: harbour is listed twice'],
    [ofAnchor({ id: 'leaderboard' }), 'anchors[0].id: is a path segment of its own'],
    [ofAnchor({ homeDomain: undefined }), 'anchors[0].homeDomain: is required'],
    [ofAnchor({ homeDomain: 'https://a.example/x' }), 'anchors[0].homeDomain: must be a domain'],
    [served({ id: 'usdc-kes' }), 'anchors[0].corridors[0].id: no corridor usdc-kes'],
    [served({ collected: ['pix'] }), 'anchors[0].corridors[0].collected: pix is not among deliveryMethods'],
    [
      ofAnchor({ endpoints: { quoteServer: 'https://u:p@a.example' } }),
      'anchors[0].endpoints.quoteServer: must be an http(s) address',
    ],
    [
      ofAnchor({ endpoints: { signingKey: mistyped } }),
      'anchors[0].endpoints.signingKey: has a wrong checksum',
    ],
    [
      ofAnchor({ partnerToken: { env: 'TOKEN', origin: 'https://a.example/sep38' } }),
      'anchors[0].partnerToken.origin: must be an origin',
    ],
  ])('%s is refused, and the error names the path', (text, message) => {
    expect(faultsOf(text)).toContain(message);
  });

  it('may leave out which methods wait to be collected', () => {
    const collected = (text: string) => parseFleet(text).anchors[0]?.corridors[0]?.collected;
    expect([collected(fleet()), collected(served({ collected: ['cash'] }))]).toEqual([[], ['cash']]);
  });

  it.each(['docs/fleet.md', 'fleets/mainnet.example.json'])('of %s is accepted', (name) => {
    const text = readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
    const files = name.endsWith('.md') ? text.matchAll(/```json\n([\s\S]*?)```/g) : [['', text]];
    for (const [, json = ''] of files) expect(parseFleet(json).anchors.length).toBeGreaterThan(0);
  });

  it('is refused with every fault at once', () => {
    const text = fleet({
      corridors: [corridor({ min: 10, speedTargetSeconds: 0 })],
      anchors: [anchor({ id: 'A' })],
    });
    expect(faultsOf(text)).toMatch(/has 3 fault\(s\)/);
  });
});

describe('the factor of the band', () => {
  const withFactor = (quoteBandFactor: unknown) => fleet({ corridors: [corridor({ quoteBandFactor })] });

  it('is 4 where the file names none, and what the file says otherwise', () => {
    expect(parseFleet(fleet()).corridors[0]?.quoteBandFactor).toBe('4');
    expect(parseFleet(withFactor('1.10')).corridors[0]?.quoteBandFactor).toBe('1.1');
    expect(parseFleet(withFactor('1000')).corridors[0]?.quoteBandFactor).toBe('1000');
  });

  it.each(['1', '1.009', '0', '1000.1', '-4', '4e2', 'generous', '', 4])('cannot be %j', (factor) => {
    expect(faultsOf(withFactor(factor))).toContain('corridors[0].quoteBandFactor');
  });
});

function corridor(patch: object = {}) {
  return {
    id: 'usdc-ngn',
    sellAsset: `stellar:USDC:${issuer}`,
    buyAsset: 'iso4217:NGN',
    country: 'NG',
    referenceAmount: '100',
    min: '10',
    max: '10000',
    speedTargetSeconds: 600,
    overdueAfterSeconds: 86_400,
    ...patch,
  };
}
