import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { exitCodes, verifyService } from '../../../scripts/verify-service.js';
import {
  publisherFixture,
  startTamperingProxy,
  type Tamper,
} from '../../fixtures/publisher/publisher-over-http.js';

const fixture = await publisherFixture();
const folder = mkdtempSync(join(tmpdir(), 'fairlead-verify-'));
let memory: string;
let files = 0;

for (let count = 0; count < 3; count += 1) await fixture.publish();
const proxy = await startTamperingProxy(fixture.app.url);
afterAll(async () => {
  await proxy.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  proxy.tamper(undefined);
  files += 1;
  memory = join(folder, String(files));
});

/** Verifies the service behind the proxy. */
async function verify(...args: string[]) {
  const said: string[] = [];
  const code = await verifyService([proxy.url, ...args], (line) => said.push(line), memory);
  return { code, verdict: said.at(-1) ?? '', said };
}

const otherHash = 'ab'.repeat(32);
const otherKey = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const isBatches = (path: string) => path.startsWith('/api/publisher/batches?');

describe('npm run verify exits with 0', () => {
  it('when everything verifies, and remembers the head, the keys and the oracle', async () => {
    const { code, verdict, said } = await verify();
    expect(verdict).toMatch(/^VERIFIED: 3 batches, \d{2,} entries, for the first time/);
    expect(said.join('\n')).toContain(`receipts  3 of 3, by ${fixture.oracle.publicKey}`);
    expect(said.join('\n')).toMatch(
      /proof {5}\S+ in \S+, score (\S+|none yet): entry \d+ of \d+ of batch 3, by \d+ hash/,
    );
    expect(code).toBe(exitCodes.verified);
    const kept = JSON.parse(readFileSync(memory, 'utf8'));
    expect(kept.services[proxy.url]).toMatchObject({
      head: { sequence: 3, headerHash: fixture.oracle.taken()[2]?.receipt.headerHash },
      keys: [{ keyId: 'd7e1e084be213b01' }],
      oracle: fixture.oracle.publicKey,
    });
  });

  it('on the next run, which still finds what was remembered', async () => {
    await verify();
    expect(await verify()).toMatchObject({
      code: 0,
      verdict: expect.stringContaining('it still holds batch 3'),
    });
  });

  it('when two services are checked at the same time, of which neither is forgotten', async () => {
    const other = await startTamperingProxy(fixture.app.url);
    const check = (url: string) => verifyService([url], () => undefined, memory);
    expect(await Promise.all([check(proxy.url), check(other.url)])).toEqual([0, 0]);
    const kept = JSON.parse(readFileSync(memory, 'utf8'));
    expect(Object.keys(kept.services).sort()).toEqual([proxy.url, other.url].sort());
    await other.stop();
  });
});

// biome-ignore lint/suspicious/noExplicitAny: answers of every kind are changed here
type Answer = any;
type Change = (body: Answer) => Answer;

const ofEntries = (change: Change): Tamper => changed((path) => path.includes('/entries'), change);
const ofProofs = (change: Change): Tamper => changed((path) => path.includes('/proof'), change);
/** Changes the list of batches. */
const listed = (change: (items: Answer[]) => Answer[]): Tamper =>
  changed(isBatches, (body) => ({ ...body, items: change(body.items) }));
const edited = (member: string, value: unknown) =>
  ofEntries((body) => {
    body.items[0][member] = value;
    return body;
  });
const ofSecondBatch = (changes: (first: Answer) => object): Tamper =>
  listed(([first, second, ...others]) => [first, { ...second, ...changes(first) }, ...others]);
const twice = ofEntries((body) => ({ ...body, items: [body.items[0], ...body.items] }));
const otherProof = ofProofs((body) => ({ ...body, proof: [otherHash, ...body.proof.slice(1)] }));

/** Name, change, and the text of the verdict. */
const lies: [string, Tamper, RegExp][] = [
  ['an entry was changed', edited('score', '99.99'), /root_mismatch/],
  ['an entry comes twice', twice, /not in order/],
  ['an entry follows another formula than its header names', edited('formula', 'v2'), /formula_mismatch/],
  ['a batch was left out', listed((items) => items.toSpliced(1, 1)), /broken_chain/],
  ['the first batch is gone', listed((items) => items.slice(1)), /batch 1 is missing/],
  ['the last is gone, though health has it', listed((all) => all.slice(0, -1)), /were there and are gone/],
  [
    'a signature was changed',
    ofSecondBatch(() => ({ signature: 'A'.repeat(86).concat('==') })),
    /bad_signature/,
  ],
  ['a receipt is for another batch', ofSecondBatch(({ receipt }) => ({ receipt })), /other_batch/],
  ['a receipt is missing', missingReceipt, /has a receipt, batch 2 before it has none/],
  ['a proof does not hold', otherProof, /the proof of .* does not hold/],
];

function changed(isMeant: (path: string) => boolean, change: Change): Tamper {
  return (path, body) => (isMeant(path) ? change(body) : undefined);
}

/** Takes the receipt of the second batch away wherever it is listed. */
function missingReceipt(path: string, body: Answer): Answer {
  const items = isBatches(path) ? body.items : path.endsWith('/batches/2') ? [body] : [];
  for (const item of items) if (item.header.sequence === 2) item.receipt = null;
  return body;
}

describe('npm run verify exits with 1', () => {
  it.each(lies)('when %s', async (_, tamper, expected) => {
    proxy.tamper(tamper);
    const { code, verdict } = await verify();
    expect(verdict).toMatch(/^REFUTED: /);
    expect(verdict).toMatch(expected);
    expect(code).toBe(exitCodes.refuted);
  });

  it('when a batch is signed with another key than the remembered or given one, and says how to trust it', async () => {
    const { code, verdict } = await verify('--key', otherKey);
    expect(code).toBe(1);
    expect(verdict).toMatch(
      /batch 1: unknown_key: .*--key GDKUEB62DFEXPXHUNLN75QV4FZ23KLK2RJBBQT7N7XAAAJHQ4PUNUPKW/,
    );
  });

  it('when the history differs from the remembered one: rewritten, cut short, or by another oracle', async () => {
    await verify();
    const kept = JSON.parse(readFileSync(memory, 'utf8'));
    const service = kept.services[proxy.url];
    const { sequence } = service.head;
    for (const [changes, expected] of [
      [{ head: { ...service.head, headerHash: otherHash } }, /history was rewritten/],
      [{ head: { ...service.head, sequence: sequence + 3 } }, /were there and are gone/],
      [{ oracle: otherKey }, /other_oracle/],
    ] as const) {
      const services = { [proxy.url]: { ...service, ...changes } };
      writeFileSync(memory, JSON.stringify({ ...kept, services }));
      const { code, verdict } = await verify();
      expect({ code, verdict }).toEqual({ code: 1, verdict: expect.stringMatching(expected) });
    }
  });
});

describe('npm run verify exits with 2', () => {
  it.each([
    ['nobody answers', ['http://127.0.0.1:9']],
    ['the address is none', ['ftp://x']],
    ['there are two', ['http://a', 'http://b']],
    ['the option is unknown', ['--fast']],
    ['the key is none', ['--key', 'GABC']],
  ])('when %s', async (_, args) => {
    const said: string[] = [];
    const code = await verifyService(args, (line) => said.push(line), memory);
    expect(code).toBe(exitCodes.cannotCheck);
    expect(said.at(-1)).toMatch(/^NOT CHECKED: /);
  });
});
