import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from '@jest/globals';
import { toHex } from '../../../contract/verification/bytes.js';
import { encodePublicKey } from '../../../contract/verification/strkey.js';
import { batchKeyId, batchSigningBytes, entryLeafHash } from '../../../contract/verification/verify-batch.js';
import { itWhere, python3 } from '../../support/it-where.js';

const script = fileURLToPath(new URL('./verify_vectors.py', import.meta.url));
const vectors = fileURLToPath(new URL('../../../contract/vectors/', import.meta.url));

function python(...args: string[]) {
  return spawnSync('python3', ['-B', ...args], { encoding: 'utf8', timeout: 60_000 });
}

const itInPython = itWhere(python3, 'no python3: the Python verifier of contract/vectors');

/** Runs the script over a copy of the vectors in which one text was replaced. */
function runTampered(file: string, original: string | RegExp, replacement: string) {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-vectors-'));
  try {
    cpSync(vectors, folder, { recursive: true });
    const text = readFileSync(join(folder, file), 'utf8');
    const tampered = text.replace(original, replacement);
    expect(tampered).not.toBe(text);
    writeFileSync(join(folder, file), tampered);
    return python(script, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the batch verifier in Python on a batch with one entry that the publisher's own key signed. */
function verifiedInPython(formula: string, entry: Record<string, unknown>) {
  // The batch is signed here, since the publisher refuses to sign what its own verifier refuses.
  const { publicKey: key, privateKey } = generateKeyPairSync('ed25519');
  const publicKey = key.export({ format: 'der', type: 'spki' }).subarray(-32);
  const signer = { keyId: batchKeyId(publicKey), publicKey: encodePublicKey(publicKey) };
  const header = {
    version: 1 as const,
    sequence: 1,
    previous: null,
    root: toHex(entryLeafHash(entry)),
    size: 1,
    formula,
    createdAt: '2026-11-21T09:30:00.000Z',
    keyId: signer.keyId,
  };
  const batch = {
    header,
    signature: sign(null, batchSigningBytes(header), privateKey).toString('base64'),
    entries: [entry],
  };
  const code =
    'import json, sys\n' +
    'from fairlead import batches as f\n' +
    'b = json.load(sys.stdin)\n' +
    'try: f.verify_batch(b["header"], b["signature"], b["entries"], b["keys"], None); print("ok")\n' +
    'except f.Refused as refused: print(refused)';
  return spawnSync('python3', ['-B', '-c', code], {
    input: JSON.stringify({ ...batch, keys: [signer] }),
    encoding: 'utf8',
    timeout: 60_000,
    env: {
      ...process.env,
      PYTHONPATH: fileURLToPath(new URL('../../../clients/python/src', import.meta.url)),
    },
  }).stdout.trim();
}

describe('the formula of a batch', () => {
  itInPython('is refused in Python where it is not known, or is another than that of an entry', () => {
    expect(verifiedInPython('v1', { anchorId: 'harbour', formula: 'v1' })).toBe('ok');
    expect(verifiedInPython('v3', { anchorId: 'harbour', formula: 'v3' })).toContain(
      'formula that is not known',
    );
    expect(verifiedInPython('v1', { anchorId: 'harbour' })).toContain('another formula');
    expect(verifiedInPython('v1', { anchorId: 'harbour', formula: 'v2' })).toContain('another formula');
  });
});

describe('a verifier in Python, from the documented bytes and the standard library alone', () => {
  itInPython('recomputes every vector of the contract package', () => {
    const { status, stdout, stderr } = python(script, vectors);
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toHaveLength(
      readdirSync(vectors).filter((name) => name.endsWith('.json')).length,
    );
    expect(stdout).not.toContain('disagrees');
    expect(status).toBe(0);
  });

  itInPython.each([
    ['strkey.json', /"account": "GA7Q/, '"account": "GA7R'],
    // Corrects a text that must be refused.
    ['strkey.json', 'QDQ64ZV6ZL2S3LAGW4SY7NTCMWIVT', 'QDQ64ZV6ZL2S3LAGW4SY7NTCMWIVL'],
    ['intent-hash.json', '"sellAmount": "250"', '"sellAmount": "251"'],
    ['intent-hash.json', /"intentHash": "../, '"intentHash": "zz'],
    ['dispute.json', /"intentHash": "../, '"intentHash": "00'],
    ['dispute.json', /"signature": "../, '"signature": "AA'],
    ['webhook.json', /"X-Fairlead-Signature": "../, '"X-Fairlead-Signature": "zz'],
    ['webhook.json', '"webhook-timestamp": "1', '"webhook-timestamp": "2'],
    ['batch.json', '"outcomes": 44', '"outcomes": 45'],
    ['batch.json', '"sequence": 2', '"sequence": 3'],
    ['batch.json', /"signature": "../, '"signature": "AA'],
    ['batch.json', /"previous": "../, '"previous": "zz'],
  ])('ends with 1 when %s is changed at %s', (file, original, replacement) => {
    const { status, stdout } = runTampered(file, original, replacement);
    expect(stdout).toMatch(/disagrees: /);
    expect(stdout).toContain(file);
    expect(status).toBe(1);
  });
});
