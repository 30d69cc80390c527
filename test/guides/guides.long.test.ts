import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { AnchorAnswer } from '../../contract/schemas/anchors.js';
import type { IntentAnswer } from '../../contract/schemas/intents.js';
import type { PublisherHealth } from '../../contract/schemas/publisher.js';
import { newNonce } from '../../contract/verification/intent-hash.js';
import { encodeSecretKey } from '../../contract/verification/strkey.js';
import { itWhere, python3, runsHere } from '../support/it-where.js';
import { runProgram } from '../support/run-program.js';
import { waitFor } from '../support/wait-for.js';
import { blockOf, blocksOf } from './blocks.js';
import { startLocally } from './local-start.js';

/* The blocks of the guides for readers, and of the pages of reference that show commands, against one `npm start`. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const itInShell = itWhere(
  runsHere('bash', '--version') && runsHere('curl', '--version') && python3,
  'no bash, curl or python3: the commands of the guides',
);

const local = await startLocally();
afterAll(() => local.stop(), 60_000);
// The anchors are read and the first batch is published about ten seconds after the service is up.
await waitFor(
  async () => {
    expect((await call<PublisherHealth>('/api/publisher/health')).latest).not.toBeNull();
    expect((await call<AnchorAnswer>('/api/anchors/harbour')).discovery).toMatchObject({ state: 'fresh' });
  },
  { timeout: 60_000, interval: 2_000 },
);

async function call<T>(path: string, json?: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const init = json === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(json) };
  return (await (await fetch(new URL(path, local.url), init)).json()) as T;
}

describe('the commands', () => {
  itInShell.each([
    ['docs/guides/operators.md', /openssl/, /^[0-9a-f]{64}\n$/],
    ['docs/guides/operators.md', /readyz/, /./],
    ['docs/guides/operators.md', /CRON_SECRET/, /RUN_IN_PROGRESS|refreshed|{/],
    ['docs/guides/operators.md', /admin\/disputes/, /"items":\[\]/],
    ['docs/guides/oracle-consumers.md', /^npm run verify\n/, /VERIFIED/],
  ])(
    'of %s that match %s do what the page shows',
    async (page, pattern, printed) => {
      expect(await local.paste(page, pattern)).toMatch(printed);
    },
    60_000,
  );

  itInShell(
    'of webhook-receivers.md register its receiver, test it, rotate its secret and send again',
    async () => {
      const page = 'docs/guides/webhook-receivers.md';
      const program = blockOf(page, 'ts receiver').text;
      await local.start({ program, env: { WEBHOOK_SECRETS: 'only-for-trying-out-webhooks' } });
      expect(await local.paste(page, /hook=/)).toContain('"enabled":true');
      await local.paste(page, /\/test"/);
      expect(await local.paste(page, /\/secret"/)).toContain('"overlapEndsAt":"');
      await local.paste(page, /\/resend"/);
    },
    120_000,
  );
});

describe('the programs', () => {
  it('of oracle-consumers.md verify one score, and refuse it under another key', async () => {
    const { text } = blockOf('docs/guides/oracle-consumers.md', 'ts');
    const { keys } = await call<PublisherHealth>('/api/publisher/health');
    const { signingKey } = await call<AnchorAnswer>('/api/anchors/harbour');
    expect(await local.program(text, { KEY: keys[0]?.publicKey ?? '' })).toMatch(/^harbour in usdc-ngn: \d/);
    await expect(local.program(text, { KEY: signingKey ?? '' })).rejects.toThrow(/key/);
  }, 60_000);

  it('of anchors.md send a callback that the service applies', async () => {
    const page = 'docs/guides/anchors.md';
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
    // The SDK re-exports what this package exports.
    const sends = blockOf(page, 'ts callback').text.replace('stellar-sdk', 'stellar-base');
    const record = `{ id: 'of-the-guide', kind: 'withdrawal', status: 'incomplete' }`;
    const program = `${sends}\nconsole.log(await sendCallback('${statusCallbackUrl}', ${record}));`;
    const seed = createHash('sha256').update('fairlead simulated key: harbour signing').digest();
    expect(await local.program(program, { SIGNING_SECRET: encodeSecretKey(seed) })).toBe('200\n');
    expect((await call<IntentAnswer>(`/api/intent/${intentHash}`)).transaction?.status).toBe('incomplete');
  }, 60_000);

  it.each(['docs/guides/wallets.md', 'docs/guides/tanstack-query.md'])(
    'of %s type-check strictly',
    async (page) => {
      const folder = mkdtempSync(join(tmpdir(), 'fairlead-guide-'));
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      for (const { fence, text } of blocksOf(page)) {
        const [, kind, name] = /^(tsx?) ([a-z-]+)$/.exec(fence) ?? [];
        if (kind !== undefined) writeFileSync(join(folder, `${name}.${kind}`), text);
      }
      const compilerOptions = {
        target: 'ES2022',
        lib: ['ES2022', 'DOM', 'DOM.Iterable'],
        module: 'ESNext',
        moduleResolution: 'Bundler',
        jsx: 'react-jsx',
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: true,
        noEmit: true,
        types: [],
        paths: {
          '@fairlead/contract/client': [join(root, 'contract/client/index.ts')],
          '@fairlead/contract/offramp': [join(root, 'contract/offramp/index.ts')],
        },
      };
      const config = { compilerOptions, include: ['*.ts', '*.tsx'] };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      expect((await runProgram(process.execPath, [tsc, '-p', folder])).stdout).toBe('');
      rmSync(folder, { recursive: true });
    },
    120_000,
  );
});
