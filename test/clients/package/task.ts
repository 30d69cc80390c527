import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { BatchHead, BatchToVerify, IntentTerms } from '../../../contract/index.js';
import type { FrontEndTask } from './front-end.js';

function vectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../../contract/vectors/${name}.json`, import.meta.url), 'utf8'));
}

const intents = vectors<{ cases: { intent: IntentTerms; intentHash: string }[] }>('intent-hash').cases;
const disputes = vectors<{
  cases: { secretKey: string; body: { intentHash: string; anchorId: string; reason: string } }[];
}>('dispute').cases;
const deliveries = vectors<{ cases: { secret: string; body: string; headers: Record<string, string> }[] }>(
  'webhook',
).cases;
const log = vectors<{
  keys: BatchToVerify['keys'];
  batches: (BatchToVerify & { headerHash: string; entries: Record<string, unknown>[] })[];
}>('batch');

/** The vectors of the package as a front end's work, and a real intent at the service of this address. */
export function frontEndTask(url: string): FrontEndTask {
  let previous: BatchHead | null = null;
  const batches = log.batches.map(({ header, signature, entries, headerHash }) => {
    const batch = { header, signature, entries, keys: log.keys, previous };
    previous = { sequence: header.sequence, headerHash };
    return batch;
  });
  const [first] = batches;
  if (first === undefined) throw new Error('contract/vectors/batch.json holds no batch');
  return {
    url,
    corridor: 'usdc-ngn',
    intents: intents.map(({ intent }) => intent),
    disputes: disputes.map(({ secretKey, body }) => ({ ...body, secretKey })),
    deliveries: deliveries.map(({ secret, body, headers }) => ({
      secret,
      body,
      headers,
      now: Number(headers['webhook-timestamp']) * 1_000,
    })),
    // The last batch must be refused: its entries are reversed.
    batches: [...batches, { ...first, entries: [...(first.entries ?? [])].reverse() }],
    newIntent: {
      corridor: 'usdc-ngn',
      anchorId: 'harbour',
      account: 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L',
      sellAmount: '250.50',
      nonce: randomBytes(16).toString('hex'),
    },
  };
}

/** The results that the vectors require. */
export const vectorResults = {
  hashes: intents.map(({ intentHash }) => intentHash),
  signed: disputes.map(({ body }) => body),
  events: deliveries.map(({ body }) => JSON.parse(body).event),
  verdicts: [
    ...log.batches.map(({ headerHash }) => ({ ok: true, headerHash })),
    { ok: false, reason: 'root_mismatch' },
  ],
};
