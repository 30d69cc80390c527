import { randomBytes } from 'node:crypto';
import { encodePublicKey } from '../../../contract/verification/strkey.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { newIntent } from '../../../server/features/intents/new-intent.rules.js';
import { createIntentStore } from '../../../server/features/intents/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';

/** The input of the flood, in a file. */
export interface FloodTarget {
  url: string;
  seconds: number;
  intents: { intentHash: string; publicKey: string }[];
}

/** Inserts this many settled intents, each of its own account, into the service's database. */
export async function addSettledIntents(uri: string, count: number): Promise<FloodTarget['intents']> {
  const now = Date.now();
  const intents = Array.from({ length: count }, () => settledIntent(now));
  const connection = await connectMongo({ uri });
  try {
    await createIntentStore(connection).insertAll(intents);
  } finally {
    await connection.close();
  }
  return intents.map(({ _id: intentHash, account: publicKey }) => ({ intentHash, publicKey }));
}

function settledIntent(nowMs: number): Intent {
  const outcome = { kind: 'settled', reason: 'completed', settleSeconds: 90, shortfallPpb: 0 } as const;
  const pending = newIntent({
    intentHash: randomBytes(32).toString('hex'),
    body: {
      corridor: 'usdc-ngn',
      anchorId: 'harbour',
      account: encodePublicKey(randomBytes(32)),
      sellAmount: '100',
      nonce: '-',
    },
    corridor: { id: 'usdc-ngn', sellAsset: '', buyAsset: '', overdueAfterSeconds: 3_600 },
    quote: null,
    nowMs,
  });
  return { ...pending, status: 'settled', open: false, outcome: { ...outcome, recordedAt: new Date(nowMs) } };
}
