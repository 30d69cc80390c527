import { describe, expect, it } from '@jest/globals';
import { noEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import { anchorAnswer, anchorSummary } from '../../../contract/schemas/anchors.js';
import { corridorAnswer } from '../../../contract/schemas/corridors.js';
import {
  startingPoints,
  toAnchorAnswer,
  toAnchorSummary,
  toCorridorAnswer,
} from '../../../server/features/anchors/anchor-answer.rules.js';
import { corridorFixture } from '../../fixtures/rates/corridor.js';

const key = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const record = {
  _id: 'harbour',
  name: 'Harbour',
  note: null,
  simulated: true,
  homeDomain: 'harbour.example',
  corridors: [{ corridor: 'usdc-brl', deliveryMethods: ['PIX'] }],
  listed: true,
  onboardedAt: new Date('2026-11-21T09:00:00Z'),
  delistedAt: null,
  signingKey: key,
  refusedKey: null,
};
const endpoints = { ...noEndpoints, transferServerSep24: 'https://a.example/sep24', signingKey: key };
const discovery = { state: 'fresh', fetchedAt: '2026-11-21T09:30:00.000Z', reason: null } as const;
const view = { endpoints, discovery };
const corridorOf = (id: string) => (id === 'usdc-brl' ? corridorFixture() : undefined);

describe('the answer for an anchor', () => {
  it('shows how a wallet starts there', () => {
    const answer = toAnchorAnswer(record, view, corridorOf);
    expect(anchorAnswer.omit({ contradictedPayments: true, unreadable: true }).parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({ status: 'active', discovery: { state: 'fresh' } });
    expect(answer.start).toMatchObject([
      {
        corridor: 'usdc-brl',
        protocol: 'sep24',
        method: 'POST',
        url: 'https://a.example/sep24/transactions/withdraw/interactive',
        assetCode: 'USDC',
        destinationAsset: 'iso4217:BRL',
      },
    ]);
  });

  it('gives no address of an anchor whose signing key is refused, listed or not, and no way to start there', () => {
    const none = {
      quoteServer: null,
      transferServerSep24: null,
      transferServerSep6: null,
      webAuthEndpoint: null,
    };
    const refused = { ...record, refusedKey: 'G-another' };
    const answer = toAnchorAnswer(refused, view, corridorOf);
    expect(answer).toMatchObject({ status: 'refused', signingKey: key, endpoints: none, start: [] });
    expect(toAnchorAnswer({ ...refused, listed: false }, undefined, corridorOf).endpoints).toEqual(none);
  });

  it('shows a delisted anchor, without corridors', () => {
    const delisted = { ...record, listed: false, delistedAt: new Date('2026-11-21T10:00:00Z') };
    const answer = toAnchorAnswer(delisted, undefined, corridorOf);
    expect(answer).toMatchObject({
      status: 'delisted',
      corridors: [],
      start: [],
      delistedAt: '2026-11-21T10:00:00.000Z',
      endpoints: { transferServerSep24: null },
      discovery: { state: 'pending', fetchedAt: null },
    });
    expect(anchorSummary.parse(toAnchorSummary(delisted)).status).toBe('delisted');
  });

  it('names withdraw-exchange over SEP-6 only if the anchor has a quote server', () => {
    const sep6 = { ...noEndpoints, transferServerSep6: 'https://a.example/sep6' };
    const urlOf = (patch: object) => startingPoints({ ...sep6, ...patch }, [corridorFixture()])[0]?.url;
    expect(urlOf({})).toBe('https://a.example/sep6/withdraw');
    expect(urlOf({ quoteServer: 'https://a.example/sep38' })).toBe(
      'https://a.example/sep6/withdraw-exchange',
    );
  });
});

describe('the answer for a corridor', () => {
  it('lists its anchors, and every delivery method once', () => {
    const anchor = (id: string, deliveryMethods: string[]) => ({
      id,
      name: id,
      simulated: false,
      corridors: [{ id: 'usdc-brl', deliveryMethods, collected: [] }],
    });
    const answer = toCorridorAnswer(corridorFixture(), [anchor('a', ['PIX', 'cash']), anchor('b', ['PIX'])]);
    expect(corridorAnswer.parse(answer)).toEqual(answer);
    expect(answer.deliveryMethods).toEqual(['PIX', 'cash']);
    expect(answer.anchors.map(({ id }) => id)).toEqual(['a', 'b']);
  });
});
