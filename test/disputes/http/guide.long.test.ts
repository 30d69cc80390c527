import { createPrivateKey, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { contract } from '../../../contract/index.js';
import { type DisputeAnswer, disputeEffects, fileDisputeBody } from '../../../contract/schemas/disputes.js';
import { verifyEd25519 } from '../../../contract/verification/ed25519.js';
import { sep53Hash } from '../../../contract/verification/sign-dispute.js';
import { decodePublicKey, encodeSecretKey } from '../../../contract/verification/strkey.js';
import { anchorSigner, type Signer, signer } from '../../fixtures/disputes/dispute-values.js';
import { disputesFixture } from '../../fixtures/disputes/disputes-over-http.js';
import { itWhere, runsHere } from '../../support/it-where.js';
import { runProgram } from '../../support/run-program.js';

const guide = readFileSync(new URL('../../../docs/disputes.md', import.meta.url), 'utf8');
const contractIndex = fileURLToPath(new URL('../../../contract/index.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fairlead-guide-'));
const fixture = disputesFixture();
const ada = signer('ada');
const harbour = anchorSigner('harbour');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The block with this fence, with the address of the running service. */
function snippet(fence: string): string {
  const found = new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\`$`, 'ms').exec(guide)?.[1];
  if (found === undefined) throw new Error(`docs/disputes.md has no block ${fence}`);
  return found.replaceAll('https://fairlead.example', fixture.app.url);
}

function place(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function loadWallet() {
  const outfile = join(folder, 'wallet.mjs');
  await build({
    entryPoints: [place('wallet.ts', snippet('ts wallet'))],
    outfile,
    bundle: true,
    format: 'esm',
    alias: { '@fairlead/contract': contractIndex },
    logLevel: 'silent',
  });
  return import(/* @vite-ignore */ pathToFileURL(outfile).href);
}

/** A wallet that signs as SEP-53 specifies, with OpenSSL and without any code of ours. */
function walletOf({ secretKey, account }: Signer, encoding: 'base64' | 'hex') {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), secretKey]);
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  return {
    async signMessage(message: string) {
      const digest = await crypto.subtle.digest(
        'SHA-256',
        Buffer.from(`Stellar Signed Message:\n${message}`, 'utf8'),
      );
      const signedMessage = sign(null, Buffer.from(digest), key).toString(encoding);
      return { signedMessage, signerAddress: account };
    },
  };
}

describe('the code of docs/disputes.md', () => {
  it('type-checks strictly', async () => {
    place('wallet.ts', snippet('ts wallet'));
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'ES2022',
      module: 'ESNext',
      moduleResolution: 'Bundler',
      lib: ['ES2022', 'DOM', 'DOM.Iterable'],
      types: [],
      paths: { '@fairlead/contract': [contractIndex] },
    };
    place('tsconfig.json', JSON.stringify({ compilerOptions, files: ['wallet.ts'] }));
    const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
    const { stdout } = await runProgram(process.execPath, [tsc, '-p', folder, '--pretty', 'false']);
    // Only faults of the snippets count; the contract is checked with the project.
    expect(stdout.split('\n').filter((line) => /^(.*\/)?wallet\.ts\(/.test(line))).toEqual([]);
  }, 120_000);

  it.each(['base64', 'hex'] as const)(
    'files a dispute for a wallet that signs by SEP-53 and answers %s',
    async (encoding) => {
      const { disputeByWallet } = await loadWallet();
      const { _id: intentHash, ...intent } = await fixture.add(ada, 'settled');
      const wallet = walletOf(ada, encoding);
      const answer: DisputeAnswer = await disputeByWallet(wallet, { ...intent, intentHash }, 'Nothing came.');
      expect(answer).toMatchObject({ status: 'open', filedBy: 'account', intentHash });
      expect((await fixture.read(intentHash)).dispute?.disputeId).toBe(answer.id);
      await expect(
        disputeByWallet(walletOf(harbour, encoding), { ...intent, intentHash }, 'Not mine.'),
      ).rejects.toThrow('INVALID_SIGNATURE');
    },
  );

  itWhere(
    runsHere('python3', '-c', 'import cryptography'),
    'no python3 with the package cryptography: the Python example of docs/disputes.md',
  )(
    'files a dispute for an anchor in Python',
    async () => {
      const script = place('dispute.py', snippet('python'));
      const intent = await fixture.add(ada, 'failed');
      const run = (secret: string) =>
        runProgram('python3', ['-B', script, fixture.app.url, intent._id, 'harbour', 'Paid on Monday.'], {
          env: { ...process.env, SIGNING_SECRET: secret },
        });
      const filed = await run(encodeSecretKey(harbour.secretKey));
      expect([filed.stderr, filed.status]).toEqual(['', 0]);
      expect(filed.stdout).toMatch(/^201 /);
      const answer: DisputeAnswer = JSON.parse(filed.stdout.slice(4));
      expect(answer).toMatchObject({ filedBy: 'anchor', intentHash: intent._id });
      const again = await run(encodeSecretKey(harbour.secretKey));
      expect(again.stdout).toBe(filed.stdout.replace('201', '200'));
      const refused = await run(encodeSecretKey(ada.secretKey));
      expect([refused.status, refused.stdout.slice(0, 3)]).toEqual([1, '403']);
      const mistyped = await run(
        encodeSecretKey(harbour.secretKey).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      );
      expect(mistyped.stderr).toContain('not an S… secret key');
    },
    60_000,
  );
});

describe('docs/disputes.md', () => {
  it('shows a body whose signature verifies over the SEP-53 hash', () => {
    const body = fileDisputeBody.parse(JSON.parse(snippet('json')));
    const signature = new Uint8Array(Buffer.from(body.signature, 'base64'));
    expect(verifyEd25519(signature, sep53Hash(body.intentHash), decodePublicKey(body.publicKey))).toBe(true);
  });

  it('explains every member, every specific refusal and every effect', () => {
    const shared = ['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INTERNAL'];
    const { errors } = contract.disputes.fileDispute.metadata;
    const codes = errors.filter((code) => !shared.includes(code));
    const names = [...codes, ...Object.keys(fileDisputeBody.shape), ...Object.keys(disputeEffects)];
    expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });
});
