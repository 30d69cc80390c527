import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isRefused } from '../../contract/anchor-documents/json.js';
import { readStellarToml } from '../../contract/anchor-documents/stellar-toml.js';
import type { AnchorAnswer } from '../../contract/schemas/anchors.js';
import type { IntentAnswer } from '../../contract/schemas/intents.js';
import type { PublisherHealth } from '../../contract/schemas/publisher.js';
import { newNonce } from '../../contract/verification/nonce.js';
import { encodeSecretKey } from '../../contract/verification/strkey.js';
import { itWhere, python3, runsHere } from '../support/it-where.js';
import { runProgram } from '../support/run-program.js';
import { waitFor } from '../support/wait-for.js';
import { expectLike } from './expect-like.js';
import { type Block, everyBlock } from './fenced-blocks.js';
import { type LocalStart, startLocally } from './local-start.js';

/*
 * Runs the blocks of docs/guides/anchors.md, contributors.md, operators.md, oracle-consumers.md and webhook-receivers.md as
 * printed, against one `npm start`.
 */
const shell = runsHere('bash', '--version') && runsHere('curl', '--version');
const itInShell = itWhere(shell, 'no bash or no curl: the commands of docs/guides');
const itWithPython = itWhere(shell && python3, 'no python3: the program of docs/guides/oracle-consumers.md');
let local: LocalStart;

beforeAll(async () => {
  local = await startLocally();
  // The anchors are read and the first batch is published about ten seconds after the service is up.
  const latest = async () => (await call<PublisherHealth>('/api/publisher/health')).latest;
  const discovery = async () => (await call<AnchorAnswer>('/api/anchors/harbour')).discovery;
  await waitFor(
    async () => {
      expect(await latest()).not.toBeNull();
      expect(await discovery()).toMatchObject({ state: 'fresh' });
    },
    { timeout: 60_000, interval: 2_000 },
  );
}, 240_000);
afterAll(() => local.stop(), 60_000);

const blocksOf = (guide: string) => everyBlock().filter(({ file }) => file === `docs/guides/${guide}.md`);

function blockWith(guide: string, fence: string, pattern = /./): Block {
  const found = blocksOf(guide).find((one) => one.fence === fence && pattern.test(one.text));
  if (found === undefined) throw new Error(`docs/guides/${guide}.md has no ${fence} with ${pattern}`);
  return found;
}

/** Runs the matching commands of a guide; where the guide shows an output after them, the real one must be similar. */
async function paste(guide: string, pattern: RegExp): Promise<string> {
  const blocks = blocksOf(guide);
  const at = blocks.findIndex(({ fence, text }) => fence === 'sh' && pattern.test(text));
  const [commands, shown] = blocks.slice(at);
  if (at === -1 || commands === undefined)
    throw new Error(`docs/guides/${guide}.md has no command ${pattern}`);
  const output = await local.pasted(commands);
  if (shown?.fence === 'text') expectLike(output, shown);
  return output;
}

async function call<T>(path: string, json?: object): Promise<T> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
  };
  const answer = await fetch(new URL(path, local.url), json === undefined ? {} : init);
  expect(answer.status).toBeLessThan(300);
  return (await answer.json()) as T;
}

describe('docs/guides/anchors.md', () => {
  it('shows a stellar.toml whose every line is read', () => {
    const { text } = blockWith('anchors', 'toml');
    const read = readStellarToml(Buffer.from(text), { readOver: 'https' });
    if (isRefused(read)) throw new Error(read.refused);
    const { directPaymentServer: _unused, ...named } = read.endpoints;
    expect(Object.values(named)).not.toContain(null);
    expect(text.trim().split('\n')).toHaveLength(Object.keys(named).length);
  });

  itInShell('shows what was read of an anchor, how it answers, and its record', async () => {
    await paste('anchors', /api\/anchors\/harbour' /);
    await paste('anchors', /observations/);
    await paste('anchors', /api\/reputation\/harbour/);
  });

  it('sends a callback that the service applies', async () => {
    const seed = createHash('sha256').update('fairlead simulated key: harbour signing').digest();
    const account = (await call<AnchorAnswer>('/api/anchors/harbour')).signingKey;
    const terms = {
      corridor: 'usdc-ngn',
      anchorId: 'harbour',
      account,
      sellAmount: '100',
      nonce: newNonce(),
    };
    const body = { ...terms, anchorTransactionId: 'of-the-guide' };
    const { statusCallbackUrl, intentHash } = await call<IntentAnswer>('/api/intent/offramp', body);
    const { file, fence, text } = blockWith('anchors', 'ts callback');
    const sending = `console.log(await sendCallback('${statusCallbackUrl}', { id: 'of-the-guide', kind: 'withdrawal', status: 'incomplete' }));`;
    // The SDK re-exports what this package exports.
    const program = { file, fence, text: `${text.replace('stellar-sdk', 'stellar-base')}\n${sending}` };
    expect(await local.program(program, { SIGNING_SECRET: encodeSecretKey(seed) })).toBe('200\n');
    expect((await call<IntentAnswer>(`/api/intent/${intentHash}`)).transaction?.status).toBe('incomplete');
    const forged = createHash('sha256').update('another key').digest();
    expect(await local.program(program, { SIGNING_SECRET: encodeSecretKey(forged) })).toBe('403\n');
  }, 60_000);
});

describe('docs/guides/oracle-consumers.md', () => {
  const keyOf = async () => {
    const { keys } = await call<PublisherHealth>('/api/publisher/health');
    return keys[0]?.publicKey ?? '';
  };

  itInShell('shows the keys', () => paste('oracle-consumers', /publisher\/health/));

  itInShell(
    'verifies the whole log, alone and with the oracle',
    async () => {
      await paste('oracle-consumers', /^npm run verify\n/);
      await paste('oracle-consumers', /--oracle/);
    },
    120_000,
  );

  it('verifies one score in TypeScript, and refuses it under another key', async () => {
    const program = blockWith('oracle-consumers', 'ts');
    expect(await local.program(program, { KEY: await keyOf() })).toMatch(
      /^harbour in usdc-ngn: \d+\.\d+, of 20/,
    );
    const { signingKey } = await call<AnchorAnswer>('/api/anchors/harbour');
    await expect(local.program(program, { KEY: signingKey ?? '' })).rejects.toThrow(/key/);
  }, 60_000);

  itWithPython(
    'verifies one score and the whole log in Python',
    async () => {
      const { text } = blockWith('oracle-consumers', 'python');
      cpSync('clients/python/src/fairlead', join(local.folder, 'fairlead'), { recursive: true });
      const file = join(local.folder, 'one_score.py');
      writeFileSync(file, text.replace('http://127.0.0.1:8080', local.url));
      const run = (key: string) => runProgram('python3', ['-B', file, key, 'harbour', 'usdc-ngn']);
      expect(await run(await keyOf())).toMatchObject({
        stderr: '',
        stdout: expect.stringMatching(/^harbour in usdc-ngn: \d+\.\d+\n$/),
      });
      const { signingKey } = await call<AnchorAnswer>('/api/anchors/harbour');
      expect(await run(signingKey ?? '')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('unknown key id'),
      });
      await paste('oracle-consumers', /verify_batches/);
    },
    120_000,
  );
});

describe('docs/guides/webhook-receivers.md', () => {
  const inbox = () => readdirSync(join(local.folder, 'inbox')).filter((name) => !name.startsWith('.'));

  itInShell(
    'registers a receiver, delivers a test to it, rotates its secret and sends again',
    async () => {
      const receiver = blockWith('webhook-receivers', 'ts receiver');
      await expect(local.program(receiver)).rejects.toThrow('WEBHOOK_SECRETS must be');
      await local.startProgram(receiver, { WEBHOOK_SECRETS: 'only-for-trying-out-webhooks' });
      expect(await paste('webhook-receivers', /hook=/)).toContain('"enabled":true');
      await paste('webhook-receivers', /\/test"/);
      expect(inbox()).toContainEqual(expect.stringMatching(/^evt_[0-9a-z_]+\.json$/));
      const kept = JSON.parse(readFileSync(join(local.folder, 'inbox', inbox()[0] ?? ''), 'utf8'));
      expect(kept).toMatchObject({ event: 'intent.settled' });
      expect(await paste('webhook-receivers', /\/secret"/)).toContain('"overlapEndsAt":"');
      await paste('webhook-receivers', /\/resend"/);
    },
    120_000,
  );
});

describe('docs/guides/operators.md', () => {
  itInShell('makes a secret, and says whether all is well', async () => {
    expect(await paste('operators', /openssl/)).toMatch(/^[0-9a-f]{64}\n$/);
    await paste('operators', /readyz/);
  });

  itInShell('runs a job and lists disputes with the keys of npm start', async () => {
    const refreshed = JSON.parse(await paste('operators', /CRON_SECRET/));
    expect([200, 409].includes(refreshed.code === 'RUN_IN_PROGRESS' ? 409 : 200)).toBe(true);
    expect(JSON.parse(await paste('operators', /admin\/disputes/))).toMatchObject({ items: [] });
  });
});

describe('docs/guides/contributors.md', () => {
  itInShell(
    'changes a rule and sees its worked example fail, then the document that a changed row would need',
    async () => {
      await paste('contributors', /^npm test/);
      const rule = join(local.folder, 'server/features/rates/worth.rules.ts');
      const text = readFileSync(rule, 'utf8');
      const { text: line } = blockWith('contributors', 'ts worth');
      expect(text).toContain(line);
      writeFileSync(rule, text.replace(line, line.replace('0.04', '0.05')));
      await expect(paste('contributors', /^npm test/)).rejects.toThrow(/best-quote/);
      writeFileSync(rule, text);

      await paste('contributors', /openapi:check/);
      const limits = join(local.folder, 'contract/rate-limits.ts');
      writeFileSync(limits, readFileSync(limits, 'utf8').replace('points: 90', 'points: 91'));
      await expect(paste('contributors', /openapi:check/)).rejects.toThrow(/openapi\.json/);
    },
    300_000,
  );
});
