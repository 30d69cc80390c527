import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { publisherFixture } from '../../fixtures/publisher/publisher-over-http.js';
import {
  startTamperingProxy,
  type Tamper,
  type TamperingProxy,
} from '../../fixtures/publisher/tampering-proxy.js';
import { itWhere, python3 } from '../../support/it-where.js';

const script = fileURLToPath(new URL('./verify_batches.py', import.meta.url));
const fixture = await publisherFixture();
let proxy: TamperingProxy;
const itInPython = itWhere(python3, 'no python3: the Python verifier of published batches');

beforeAll(async () => {
  for (let count = 0; count < 3; count += 1) await fixture.publish();
  proxy = await startTamperingProxy(fixture.app.url);
});
afterAll(() => proxy.stop());

/** Runs the script as a program of its own, while this process serves what it requests. */
async function verify(...keys: string[]): Promise<{ code: unknown; stdout: string }> {
  const { error, stdout } = await new Promise<{ error: Error | null; stdout: string }>((resolve) => {
    const args = ['-B', script, proxy.url, ...keys];
    execFile('python3', args, { timeout: 60_000 }, (error, stdout) => resolve({ error, stdout }));
  });
  const code = error === null ? 0 : (error as NodeJS.ErrnoException).code;
  return { code, stdout };
}

itInPython(
  'a verifier in Python, by docs/publisher.md alone, accepts every batch, receipt and proof',
  async () => {
    proxy.tamper(undefined);
    const { code, stdout } = await verify();
    const head = fixture.oracle.taken().at(-1)?.receipt.headerHash;
    expect(stdout).toMatch(/^VERIFIED: 3 batches, \d{2,} entries, 3 receipts/);
    expect(stdout).toContain(`head ${head}\n`);
    expect(code).toBe(0);
    expect(await verify('GDKUEB62DFEXPXHUNLN75QV4FZ23KLK2RJBBQT7N7XAAAJHQ4PUNUPKW')).toEqual({
      code: 0,
      stdout,
    });
  },
);

itInPython('a verifier in Python refuses batches signed with a key that it does not trust', async () => {
  const other = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
  expect(await verify(other)).toEqual({ code: 1, stdout: 'REFUTED: unknown key id\n' });
});

const isBatches = (path: string) => path.startsWith('/api/publisher/batches?');

itInPython.each<[string, Tamper, RegExp]>([
  [
    'an entry',
    (path, body) => set(path.includes('/entries'), body, body.items?.[0], 'score', '99.99'),
    /root/,
  ],
  [
    'a header',
    (path, body) => set(isBatches(path), body, body.items?.[1]?.header, 'size', 1),
    /signature|entries/,
  ],
  [
    'the order',
    (path, body) => (isBatches(path) ? { ...body, items: body.items.toReversed() } : body),
    /missing/,
  ],
  [
    'a receipt',
    (path, body) => set(isBatches(path), body, body.items?.[1]?.receipt, 'receivedAt', '2020'),
    /receipt/,
  ],
  ['a proof', (path, body) => set(path.includes('/proof'), body, body.proof, 0, 'ab'.repeat(32)), /proof/],
])('and refutes a change to %s', async (_, tamper, expected) => {
  proxy.tamper(tamper);
  const { code, stdout } = await verify();
  expect(stdout).toMatch(/^REFUTED: /);
  expect(stdout).toMatch(expected);
  expect(code).toBe(1);
});

// biome-ignore lint/suspicious/noExplicitAny: answers of every kind are changed here
function set(applies: boolean, body: any, target: any, member: string | number, value: unknown): unknown {
  if (applies) target[member] = value;
  return body;
}
