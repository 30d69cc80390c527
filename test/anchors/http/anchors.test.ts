import { describe, expect, it } from '@jest/globals';
import type { AnchorAnswer, AnchorPage } from '../../../contract/schemas/anchors.js';
import type { CorridorPage } from '../../../contract/schemas/corridors.js';
import { testApp } from '../../support/app.js';

const app = await testApp();

function get<Body>(path: string) {
  return app.client.request<Body>('GET', path);
}

describe('GET /api/corridors', () => {
  it('200: lists every corridor by id, with its limits and its anchors', async () => {
    const { status, body } = await get<CorridorPage>('/api/corridors');
    expect(status).toBe(200);
    const ids = body.items.map(({ id }) => id);
    expect(ids).toEqual([...app.simulated.fleet.corridors.map(({ id }) => id)].sort());
    const ngn = body.items.find(({ id }) => id === 'usdc-ngn');
    expect(ngn).toMatchObject({
      payoutDecimals: 2,
      referenceAmount: '100',
      min: '10',
      max: '10000',
      country: 'NG',
    });
    expect(ngn?.anchors).toContainEqual(expect.objectContaining({ id: 'harbour', simulated: true }));
  });

  it.each(['limit=0', 'limit=101', 'limit=1.5', 'cursor=x', 'cursor=', 'page=2'])(
    '400: ?%s',
    async (query) => {
      const { status, body } = await get(`/api/corridors?${query}`);
      expect({ status, body }).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    },
  );
});

describe('GET /api/corridors and /api/anchors', () => {
  it.each([
    ['/api/corridors?limit=3', () => app.simulated.fleet.corridors],
    ['/api/anchors?limit=3', () => app.simulated.anchors],
    ['/api/anchors?limit=1&corridor=usdc-zar', () => serving('usdc-zar')],
  ])('200: %s pages through the whole list', async (path, all) => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const after: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await get<CorridorPage>(`${path}${after}`);
      ids.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor;
    } while (cursor !== null);
    const every = all().map(({ id }) => id);
    expect(ids).toEqual(every.sort());
  });

  function serving(corridor: string) {
    const { anchors } = app.simulated.fleet;
    return anchors.filter(({ corridors }) => corridors.some(({ id }) => id === corridor));
  }
});

describe('GET /api/anchors', () => {
  it('200: lists every anchor of the fleet, labelled simulated', async () => {
    const { status, body } = await get<AnchorPage>('/api/anchors');
    expect(status).toBe(200);
    expect(body.items.map(({ id }) => id)).toEqual(app.simulated.anchors.map(({ id }) => id).sort());
    expect(body.items.every(({ simulated, status: state }) => simulated && state === 'active')).toBe(true);
  });

  it('400: for a cursor that was never issued', async () => {
    const { status, body } = await get('/api/anchors?cursor=eyIkZ3QiOiIifQ');
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ path: 'query.cursor' }] } });
  });
});

describe('GET /api/anchors/{anchor}', () => {
  it('200: shows its addresses and how a wallet starts there', async () => {
    await get('/api/rates/usdc-ngn');
    const { status, body } = await get<AnchorAnswer>('/api/anchors/harbour');
    expect(status).toBe(200);
    const { origin, signingKey } = app.simulated.anchor('harbour');
    expect(body).toMatchObject({
      signingKey,
      endpoints: { quoteServer: `${origin}/sep38` },
      discovery: { state: 'fresh', reason: null },
    });
    expect(body.start).toContainEqual(
      expect.objectContaining({
        corridor: 'usdc-ngn',
        protocol: 'sep24',
        method: 'POST',
        url: `${origin}/sep24/transactions/withdraw/interactive`,
      }),
    );
  });

  it('404: for an anchor that was never in the fleet', async () => {
    expect(await get('/api/anchors/nobody')).toMatchObject({ status: 404, body: { code: 'UNKNOWN_ANCHOR' } });
  });

  it.each(['with_line', 'a--b', '%24gt', 'a'.repeat(41)])('400: the id %s', async (id) => {
    const { status, body } = await get(`/api/anchors/${id}`);
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ path: 'path.anchor' }] } });
  });
});
