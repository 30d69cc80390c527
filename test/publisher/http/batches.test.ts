import { describe, expect, it } from '@jest/globals';
import type {
  BatchEntries,
  BatchPage,
  EntryProof,
  PublishedBatch,
} from '../../../contract/schemas/publisher.js';
import type { PublicScores } from '../../../contract/schemas/reputation.js';
import { verifyBatch, verifyEntry } from '../../../contract/verification/verify-batch.js';
import { batchesPath, publisherFixture } from '../../fixtures/publisher/publisher-over-http.js';

const fixture = await publisherFixture();

const published = [await fixture.publish(), await fixture.publish(), await fixture.publish()];

const sequences = ({ items }: BatchPage) => items.map(({ header }) => header.sequence);

describe('GET /api/publisher/batches', () => {
  it('200: lists batches newest first, cacheable for a moment', async () => {
    const { status, body, headers } = await fixture.get<BatchPage>(batchesPath);
    expect({ status, body }).toEqual({
      status: 200,
      body: { items: [...published].reverse(), nextCursor: null },
    });
    expect(headers.get('cache-control')).toMatch(/^private, max-age=\d+$/);
    expect(headers.get('etag')).not.toBeNull();
  });

  it('200: lists batches in order from a sequence, page by page', async () => {
    const first = await fixture.get<BatchPage>(`${batchesPath}?order=asc&from=2&limit=1`);
    expect(sequences(first.body)).toEqual([2]);
    const next = `limit=5&cursor=${first.body.nextCursor}`;
    const second = await fixture.get<BatchPage>(`${batchesPath}?order=asc&from=2&${next}`);
    expect(sequences(second.body)).toEqual([3]);
    expect(second.body.nextCursor).toBeNull();
    for (const another of ['', 'order=asc&', 'order=desc&from=2&', 'order=asc&from=1&']) {
      const { status, body } = await fixture.get(`${batchesPath}?${another}${next}`);
      expect({ status, body }).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    }
  });

  it.each(['order=up', 'from=0', 'from=x', 'limit=0', 'limit=101', 'cursor=%21', 'cursor=abc', 'since=1'])(
    '400: %s',
    async (query) => {
      const { status, body } = await fixture.get(`${batchesPath}?${query}`);
      expect({ status, body }).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    },
  );
});

describe('GET /api/publisher/batches/{sequence}', () => {
  it('200: returns the batch, linked to the one before', async () => {
    const { body } = await fixture.get<PublishedBatch>(`${batchesPath}/2`);
    expect(body).toEqual(published[1]);
    const keys = [{ keyId: body.header.keyId, publicKey: body.publicKey }];
    const previous = { sequence: 1, headerHash: published[0]?.headerHash ?? '' };
    expect(verifyBatch({ ...body, keys, previous })).toMatchObject({ ok: true });
  });

  it('304: for a client that has it already', async () => {
    const { headers } = await fixture.get(`${batchesPath}/1`);
    const again = await fixture.get(`${batchesPath}/1`, { 'if-none-match': headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });

  it('404: for an unknown batch', async () => {
    const { status, body } = await fixture.get(`${batchesPath}/4`);
    expect({ status, body }).toMatchObject({ status: 404, body: { code: 'UNKNOWN_BATCH' } });
  });

  it.each(['0', '01', '-1', '1.0', 'latest', '1234567890123456'])(
    '400: %s is not a sequence',
    async (text) => {
      expect((await fixture.get(`${batchesPath}/${text}`)).status).toBe(400);
    },
  );
});

describe('GET /api/publisher/batches/{sequence}/entries', () => {
  it('200: returns the cards of the public scores in pages, with the signed root', async () => {
    const scores = await fixture.get<PublicScores>('/v1/public/scores?limit=100');
    const entries: BatchEntries['items'] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await fixture.get<BatchEntries>(`${batchesPath}/3/entries?limit=20${query}`);
      expect(body).toMatchObject({ sequence: 3, start: entries.length });
      entries.push(...body.items);
      cursor = body.nextCursor;
    }
    expect(entries).toEqual(scores.body.items);
    expect(scores.body.batch).toEqual({ sequence: 3, root: published[2]?.header.root });
    const { body } = await fixture.get<PublishedBatch>(`${batchesPath}/3`);
    const keys = [{ keyId: body.header.keyId, publicKey: body.publicKey }];
    expect(verifyBatch({ ...body, entries, keys })).toMatchObject({ ok: true });
  });

  it('400: for a cursor that was never issued', async () => {
    expect((await fixture.get(`${batchesPath}/1/entries?cursor=AAAA`)).status).toBe(400);
  });

  it('404: for an unknown batch', async () => {
    expect(await fixture.get(`${batchesPath}/9/entries`)).toMatchObject({
      status: 404,
      body: { code: 'UNKNOWN_BATCH' },
    });
  });
});

describe('GET /api/publisher/batches/{sequence}/proof', () => {
  const proofOf = (query: string, sequence = 3) =>
    fixture.get<EntryProof>(`${batchesPath}/${sequence}/proof?${query}`);

  it('200: returns a score and the proof that the submitted batch contains it', async () => {
    const { body } = await proofOf('anchor=harbour&corridor=usdc-ngn');
    const { batch, ...claim } = body;
    expect(claim.entry).toMatchObject({
      anchorId: 'harbour',
      corridor: 'usdc-ngn',
      window: 30,
      outcomes: 120,
    });
    expect(verifyEntry({ ...claim, header: batch.header })).toBe(true);
    const { header } = fixture.oracle.taken()[2] ?? {};
    expect(batch.header).toEqual(header);
    expect(verifyEntry({ ...claim, entry: { ...claim.entry, outcomes: 121 }, header: batch.header })).toBe(
      false,
    );
  });

  it('200: returns the score of that time for an older batch', async () => {
    expect((await proofOf('anchor=harbour&corridor=usdc-ngn', 1)).body.entry.outcomes).toBe(40);
  });

  it.each([
    '',
    'anchor=harbour',
    'corridor=usdc-ngn',
    'anchor=-harbour&corridor=usdc-ngn',
    'anchor=harbour&corridor=x',
  ])('400: %s', async (query) => {
    expect((await proofOf(query)).status).toBe(400);
  });

  it('404: for an unknown batch', async () => {
    const answer = await proofOf('anchor=harbour&corridor=usdc-ngn', 9);
    expect(answer).toMatchObject({ status: 404, body: { code: 'UNKNOWN_BATCH' } });
  });

  it('404: for an anchor and a corridor that are known, and have no entry', async () => {
    const answer = await proofOf('anchor=windlass&corridor=usdc-ngn');
    expect(answer).toMatchObject({ status: 404, body: { code: 'UNKNOWN_BATCH' } });
  });

  it('422: for an anchor or a corridor that is unknown', async () => {
    for (const query of ['anchor=nobody&corridor=usdc-ngn', 'anchor=harbour&corridor=usdc-zzz']) {
      expect(await proofOf(query)).toMatchObject({ status: 422, body: { code: 'UNSUPPORTED_PAIR' } });
    }
  });
});
