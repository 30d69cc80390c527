import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { toHex } from '../../../contract/verification/bytes.js';
import {
  type BatchHeader,
  batchHeaderHash,
  entryLeafHash,
} from '../../../contract/verification/verify-batch.js';
import { receiptFault } from '../../../contract/verification/verify-receipt.js';
import { type ReferenceOracle, startReferenceOracle } from '../../../scripts/reference-oracle/index.js';
import { createSigner } from '../../../server/features/publisher/signer.rules.js';
import { merkleRoot } from '../../fixtures/publisher/merkle.js';
import { cardsOf, otherSeed, testSeed } from '../../fixtures/publisher/publisher-instance.js';

const signer = createSigner(testSeed);
const stranger = createSigner(otherSeed);
const folder = mkdtempSync(join(tmpdir(), 'fairlead-oracle-'));
const running: ReferenceOracle[] = [];
let oracle: ReferenceOracle;

async function start(options: { stateFile?: string; keys?: string[] } = {}): Promise<ReferenceOracle> {
  const started = await startReferenceOracle({ clock: () => Date.UTC(2026, 10, 21), ...options });
  running.push(started);
  return started;
}

beforeEach(async () => {
  oracle = await start({ keys: [signer.publicKey] });
});
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Submission {
  header: BatchHeader;
  signature: string;
  publicKey: string;
  entries: ScoreCard[];
}

/** A batch that continues the log, with these changes to its header, signed by the key. */
function batch(changes: Partial<BatchHeader> = {}, by = signer, entries = cardsOf(3)): Submission {
  const header: BatchHeader = {
    version: 1,
    sequence: 1,
    previous: null,
    root: toHex(merkleRoot(entries.map((entry) => entryLeafHash(entry)))),
    size: entries.length,
    formula: 'v1',
    createdAt: '2026-11-21T09:30:00.000Z',
    keyId: by.keyId,
    ...changes,
  };
  return { header, signature: by.sign(header), publicKey: by.publicKey, entries };
}

const first = batch();
const second = batch({ sequence: 2, previous: batchHeaderHash(first.header) });

async function post(body: unknown, to = oracle): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(to.url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function get(path: string): Promise<unknown> {
  return (await fetch(new URL(path, oracle.url))).json();
}

describe('the reference oracle takes', () => {
  it('the batches of the chain in order, and signs a receipt for each', async () => {
    for (const each of [first, second]) {
      const { status, body } = await post(each);
      const { sequence } = each.header;
      expect(status).toBe(201);
      const head = { sequence, headerHash: batchHeaderHash(each.header) };
      expect(receiptFault(body, head, oracle.publicKey)).toBeNull();
      expect(await get(`/batches/${sequence}`)).toMatchObject({ header: each.header, receipt: body });
    }
    expect(await get('/batches/head')).toMatchObject({ head: { header: second.header } });
    expect(await get('/batches/2/entries')).toEqual({ entries: second.entries });
    expect(await get('/batches/3/entries')).toMatchObject({ code: 'not_found' });
    expect(await get('/')).toMatchObject({ oracle: oracle.publicKey, keys: [{ keyId: signer.keyId }] });
  });

  it('the same header again, and answers with its first receipt', async () => {
    const taken = await post(first);
    await post(second);
    expect(await post(first)).toEqual({ status: 200, body: taken.body });
    expect(oracle.taken()).toHaveLength(2);
  });

  it('a batch without entries, and a batch with the same root as an earlier one', async () => {
    const empty = batch({}, signer, []);
    expect((await post(empty)).status).toBe(201);
    const again = batch({ sequence: 2, previous: batchHeaderHash(empty.header) }, signer, []);
    expect((await post(again)).status).toBe(201);
  });
});

describe('the reference oracle refuses', () => {
  it.each<[number, string, unknown]>([
    [400, 'malformed', 'not JSON'],
    [400, 'malformed', {}],
    [400, 'malformed', { ...second, header: { ...second.header, note: 'x' } }],
    [400, 'malformed', { ...second, entries: 'none' }],
    [409, 'conflict', batch({ createdAt: '2026-11-21T09:31:00.000Z' })],
    [409, 'out_of_order', batch({ sequence: 3, previous: batchHeaderHash(second.header) })],
    [422, 'broken_chain', batch({ sequence: 2, previous: 'ab'.repeat(32) })],
    [422, 'broken_chain', batch({ sequence: 2, previous: null }, { ...signer, sign: () => first.signature })],
    [422, 'unknown_key', batch({ ...second.header, keyId: stranger.keyId }, stranger)],
    [422, 'bad_signature', { ...second, signature: first.signature }],
    [422, 'size_mismatch', { ...second, entries: cardsOf(2) }],
    [422, 'root_mismatch', { ...second, entries: cardsOf(3, 99) }],
    [422, 'root_mismatch', { ...second, entries: cardsOf(3).reverse() }],
    [422, 'malformed_entry', { ...second, entries: [{ score: 0.5 }, ...cardsOf(2)] }],
  ])('with %i %s, and stores nothing', async (status, code, body) => {
    await post(first);
    expect(await post(body)).toMatchObject({ status, body: { code } });
    expect(oracle.taken()).toHaveLength(1);
    expect((await post(second)).status).toBe(201);
  });

  it('other keys than the first one, when it was configured with none', async () => {
    const trusting = await start();
    expect((await post(first, trusting)).status).toBe(201);
    const rotated = batch({ ...second.header, keyId: stranger.keyId }, stranger);
    expect(await post(rotated, trusting)).toMatchObject({ status: 422, body: { code: 'unknown_key' } });
    expect((await post(second, trusting)).status).toBe(201);
  });
});

describe('the ledger of the reference oracle', () => {
  it('survives a restart: the same key, batches and receipts', async () => {
    const stateFile = join(folder, 'kept.jsonl');
    const before = await start({ stateFile });
    const { body } = await post(first, before);
    await before.stop();
    // This submission was cut short by a crash, and never answered.
    appendFileSync(stateFile, '{"header":{"version":1,');
    const after = await start({ stateFile });
    expect(after.publicKey).toBe(before.publicKey);
    expect(await post(first, after)).toEqual({ status: 200, body });
    const shown = await fetch(`${after.url}/1/entries`);
    expect(await shown.json()).toEqual({ entries: first.entries });
    expect((await post(second, after)).status).toBe(201);
    await after.stop();
    expect(readFileSync(stateFile, 'utf8').trim().split('\n')).toHaveLength(3);
    expect((await start({ stateFile })).taken()).toHaveLength(2);
    expect(statSync(stateFile).mode & 0o077).toBe(0);
  });

  it('does not overwrite a file that is not a ledger', async () => {
    const stateFile = join(folder, 'other.txt');
    for (const text of ['shopping list\n', 'shopping list', '{"oracleSecretKey":"00"}\n']) {
      writeFileSync(stateFile, text);
      await expect(start({ stateFile })).rejects.toThrow(stateFile);
      expect(readFileSync(stateFile, 'utf8')).toBe(text);
    }
  });
});

describe('the reference oracle misbehaves as a test tells it to', () => {
  it('fails without taking a batch, takes it and closes the connection, answers late, then normally', async () => {
    oracle.behave('fail', 'lose', { lateMs: 30 });
    expect((await post(first)).status).toBe(500);
    expect(oracle.taken()).toHaveLength(0);
    await expect(post(first)).rejects.toThrow();
    expect(oracle.taken()).toHaveLength(1);
    expect((await post(first)).status).toBe(200);
    expect((await post(second)).status).toBe(201);
    expect(oracle.arrivals().map(([sequence]) => sequence)).toEqual([1, 1, 1, 2]);
  });
});
