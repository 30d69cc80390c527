import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from '@jest/globals';
import type { PublishedBatch } from '../../contract/schemas/publisher.js';
import { batchHeaderHash } from '../../contract/verification/verify-batch.js';
import { archiveLog, exitCodes } from '../../scripts/archive-log.js';
import { batchRoot, nextHeader, toChunk, toEntry } from '../../server/features/publisher/batch.rules.js';
import { createSigner } from '../../server/features/publisher/signer.rules.js';
import { cardsOf, testSeed } from '../fixtures/publisher/publisher-instance.js';

const folder = mkdtempSync(join(tmpdir(), 'fairlead-archive-'));
const file = join(folder, 'batches.jsonl');
const signer = createSigner(testSeed);
const cards = cardsOf(4);
/** Entries in one page of an answer. */
const perPage = 2;
/** So many end the test of a reader that never ends by itself. */
const maxPages = 20;

let published: PublishedBatch[];
/** Pages of entries that were asked for. */
let pages: number;
/** Whether a page of entries names a next one, however many there were. */
let endless: boolean;
/** Waited for before anything is answered. */
let opened: Promise<void>;
let said: string[];

const service = createServer(async (request, response) => {
  await opened;
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service');
  const answer = pathname.endsWith('/entries')
    ? entriesAfter(Number(searchParams.get('cursor') ?? 0))
    : { items: published.slice(Number(searchParams.get('from')) - 1).slice(0, 1) };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

afterAll(() => {
  service.closeAllConnections();
  service.close();
});
beforeEach(() => {
  published = [];
  pages = 0;
  endless = false;
  opened = Promise.resolve();
  said = [];
});
afterEach(() => rmSync(file, { force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

function entriesAfter(start: number) {
  pages += 1;
  const end = start + perPage;
  return {
    items: endless ? cards.slice(0, perPage) : cards.slice(start, end),
    nextCursor: (endless && pages < maxPages) || end < cards.length ? String(end) : null,
  };
}

function publish(): void {
  const root = batchRoot([toChunk(cards.map(toEntry), 0)]);
  const made = { at: new Date('2026-11-22T09:30:00.000Z'), keyId: signer.keyId };
  const header = nextHeader({ root, size: cards.length, formula: 'v1' }, published.at(-1) ?? null, made);
  published.push({
    header,
    headerHash: batchHeaderHash(header),
    signature: signer.sign(header),
    publicKey: signer.publicKey,
    submittedAt: null,
    receipt: null,
  });
}

async function run(): Promise<number> {
  const say = (line: string) => said.push(line);
  return archiveLog([address, file], { say, warn: say, wait: async () => undefined });
}

const archived = () =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).header.sequence);

it('adds what has been published since, and leaves nothing but the file', async () => {
  publish();
  publish();
  expect(await run()).toBe(exitCodes.added);
  publish();
  expect(await run()).toBe(exitCodes.added);
  expect(archived()).toEqual([1, 2, 3]);
  expect(said).toEqual([`added to ${file}: 2 batches`, `added to ${file}: 1 batch`]);
  expect(readdirSync(folder)).toEqual(['batches.jsonl']);
});

it('adds nothing while another run does, and says so', async () => {
  publish();
  let open = () => {};
  opened = new Promise((resolve) => {
    open = resolve;
  });
  const first = run();
  // The first one is sure to be under way once it has asked for something.
  await new Promise((resolve) => service.once('request', resolve));
  expect(await run()).toBe(exitCodes.underWay);
  expect(said).toEqual([`another run adds to ${file}`]);
  open();
  expect(await first).toBe(exitCodes.added);
  expect(archived()).toEqual([1]);
  expect(await run()).toBe(exitCodes.added);
});

it('asks for no more entries than a batch has', async () => {
  publish();
  endless = true;
  expect(await run()).toBe(exitCodes.invalidBatch);
  expect(said).toEqual([`batch 1 of ${address} is not valid: root_mismatch`]);
  expect(pages).toBe(cards.length / perPage);
});
