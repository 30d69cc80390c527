import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../../contract/client/operations/client.js';
import { pick } from '../../lib/random.js';
import { repeatedly, type TrafficContext } from './context.js';
import { anchorIds, corridor } from './surroundings.js';

/** So many addresses that each stays well within its limits. */
const readers = 60;
const comeWithinMs = 15_000;
const amounts = ['50', '100', '250', '1000'];

/** Clients that were there before, with room in their limits, read what instances have in memory. */
export async function readAgain(context: TrafficContext): Promise<void> {
  const { clients, settings, random, ending } = context;
  const everyMs = settings.everyMs.return;

  async function come(): Promise<void> {
    const { rates, snapshot, corridors } = clients.nextStaying();
    // They start one after another, or all their windows would end at the same time.
    await delay(random() * comeWithinMs, undefined, { signal: ending }).catch(() => undefined);
    await repeatedly(context, everyMs, ending, async () => {
      const reads = [
        rates.getRates({ params: { corridor }, query: { amount: '100' } }),
        snapshot.getSnapshot(),
        corridors.listCorridors(),
      ];
      for (const reading of reads) reading.catch(() => undefined);
    });
  }
  await Promise.all(Array.from({ length: settings.returningReaders }, come));
}

/** Reads of everything public, each kept or computed, one after another; none waits for another. */
export async function read(context: TrafficContext, knownIntents: () => readonly string[]): Promise<void> {
  const { clients, settings, random, ending } = context;
  const all = Array.from({ length: readers }, () => clients.next());
  const oneOf = <T>(items: readonly T[]) => pick(random, items);
  let latestBatch = 1;

  const reads: readonly ((client: Client) => Promise<unknown> | undefined)[] = [
    ({ rates }) => rates.getRates({ params: { corridor }, query: { amount: oneOf(amounts) ?? '100' } }),
    ({ rates }) => rates.getRates({ params: { corridor: 'usdc-kes' }, query: { amount: '100' } }),
    ({ rateHistory }) => rateHistory.getRateHistory({ params: { corridor } }),
    ({ snapshot }) => snapshot.getSnapshot(),
    ({ corridors }) => corridors.listCorridors(),
    ({ anchors }) => anchors.getAnchor({ params: { anchor: oneOf(anchorIds) ?? 'harbour' } }),
    ({ reputation }) => reputation.getLeaderboard(),
    ({ reputation }) => reputation.getReputation({ params: { anchor: oneOf(anchorIds) ?? 'harbour' } }),
    ({ scores }) => scores.getPublicScores(),
    async ({ publisher }) => {
      const { status, body } = await publisher.getPublisherHealth();
      if (status === 200) latestBatch = body.latest?.sequence ?? 1;
    },
    ({ publisher }) => publisher.listBatches({ query: { limit: '3' } }),
    ({ publisher }) =>
      publisher.proveBatchEntry({
        params: { sequence: String(1 + Math.floor(random() * latestBatch)) },
        query: { anchor: oneOf(anchorIds) ?? 'harbour', corridor },
      }),
    ({ intents }) => {
      const intentHash = oneOf(knownIntents());
      return intentHash === undefined ? undefined : intents.getIntent({ params: { intentHash } });
    },
  ];

  await repeatedly(context, 1_000 / settings.readsPerSecond, ending, async () => {
    const client = oneOf(all);
    const reading = client && oneOf(reads)?.(client);
    // Every answer, and that there was none, is in the log of the answers.
    reading?.catch(() => undefined);
  });
}
