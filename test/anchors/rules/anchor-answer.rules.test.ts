import { describe, expect, it } from '@jest/globals';
import { noEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import { corridorAnswer } from '../../../contract/schemas/corridors.js';
import {
  startingPoints,
  toAnchorAnswer,
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
