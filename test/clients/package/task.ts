import { randomBytes } from 'node:crypto';
import type { BatchHead, BatchHeader } from '../../../contract/index.js';
import batch from '../../../contract/vectors/batch.json' with { type: 'json' };
import dispute from '../../../contract/vectors/dispute.json' with { type: 'json' };
import intents from '../../../contract/vectors/intent-hash.json' with { type: 'json' };
import webhook from '../../../contract/vectors/webhook.json' with { type: 'json' };
import type { FrontEndTask } from './front-end.js';

/** The vectors of the package as a front end's work, and a real intent at the service of this address. */
export function frontEndTask(url: string): FrontEndTask {
  let previous: BatchHead | null = null;
  const batches = batch.batches.map(({ header, signature, entries, headerHash }) => {
    const one = { header: header as BatchHeader, signature, entries, keys: batch.keys, previous };
    previous = { sequence: header.sequence, headerHash };
    return one;
  });
  return {
    url,
    intents: intents.cases.map(({ intent }) => intent),
    disputes: dispute.cases.map(({ secretKey, body }) => ({ ...body, secretKey })),
    deliveries: webhook.cases.map(({ secret, body, headers }) => ({
      secret,
      body,
      headers,
      now: Number(headers['webhook-timestamp']) * 1_000,
    })),
    // The last batch must be refused: it follows none of those before it.
    batches: [...batches, { ...batches[1], previous: null } as (typeof batches)[number]],
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
  hashes: intents.cases.map(({ intentHash }) => intentHash),
  signed: dispute.cases.map(({ body }) => body),
  events: webhook.cases.map(({ body }) => JSON.parse(body).event),
  verdicts: [
    ...batch.batches.map(({ headerHash }) => ({ ok: true, headerHash })),
    { ok: false, reason: 'broken_chain' },
  ],
};
