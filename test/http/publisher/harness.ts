import { setTimeout as delay } from 'node:timers/promises';
import { afterAll } from 'vitest';
import type { PublishedBatch, TickAnswer } from '../../../contract/publisher.js';
import { type ReferenceOracle, startReferenceOracle } from '../../../scripts/reference-oracle/index.js';
import type { Received } from '../../helpers/answers.js';
import { testCronSecret } from '../../helpers/app.js';
import { type ReputationHarness, reputationHarness } from '../reputation/harness.js';

export const tickPath = '/api/publisher/tick';
export const batchesPath = '/api/publisher/batches';

/** The app with a publisher's key, an oracle that takes its batches, and outcomes to publish. */
export interface PublisherHarness extends ReputationHarness {
  oracle: ReferenceOracle;
  tick(options?: { body?: unknown; headers?: Record<string, string> }): Promise<Received<TickAnswer>>;
  /** Records more outcomes, of Harbour in usdc-ngn at first, refreshes the scores, and ticks; six times at most. */
  publish(): Promise<PublishedBatch>;
}

const places = [
  ['harbour', 'usdc-ngn'],
  ['squall', 'usdc-kes'],
] as const;

/** Call it once at the top of a file, and await it. */
export async function publisherHarness(env: Record<string, string> = {}): Promise<PublisherHarness> {
  const oracle = await startReferenceOracle({ clock: Date.now });
  const harness = reputationHarness({
    PUBLISHER_SECRET_KEY: '15'.repeat(32),
    ORACLE_URL: oracle.url,
    ...env,
  });
  afterAll(() => oracle.stop());

  let ticks = 0;
  let published = 0;
  const tick: PublisherHarness['tick'] = (options = {}) => {
    ticks += 1;
    return harness.app.client.request<TickAnswer>('POST', tickPath, {
      ...options,
      headers: {
        authorization: `Bearer ${testCronSecret}`,
        'x-forwarded-for': `192.0.2.${ticks % 250}`,
        ...options.headers,
      },
    });
  };
  return {
    get app() {
      return harness.app;
    },
    get: harness.get,
    record: harness.record,
    refresh: harness.refresh,
    oracle,
    tick,
    async publish() {
      // An account counts three times a day with one anchor in one corridor, and these are the same accounts.
      const [anchorId, corridor] = places[Math.floor(published / 3) % places.length] ?? places[0];
      published += 1;
      await harness.record(anchorId, corridor, 40, 38);
      // The outcomes may just be counted elsewhere: then the refresh did not wait for them.
      for (let attempt = 0; attempt < 50; attempt += 1) {
        await harness.refresh();
        const { body } = await tick();
        if (body.batch !== null) return body.batch;
        await delay(50);
      }
      throw new Error('no batch was made of new outcomes');
    },
  };
}
