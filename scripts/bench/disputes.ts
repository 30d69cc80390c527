import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addSettledIntents, type FloodTarget } from './disputes/target.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { median, ms, perSecond, ratio } from './lib/figures.js';
import { inTurns } from './lib/in-turns.js';
import { clientAddresses, fire, forwardedFor, type LoadResult } from './lib/load.js';

const rounds = 3;
const readers = 2;
/** Clients per reader, so that none comes near its limit. */
const clientsPerReader = 500;
const knownIntents = 200;
/** The flood begins before the reads that are measured, and ends after them. */
const leadMs = 700;

interface Measured {
  reads: LoadResult;
  floodPerSecond: number | null;
}

/** A cached public read alone, and while disputes with well-formed but false signatures arrive as fast as they can. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongo = await context.startMongo();
  const anchors = await context.startAnchors();
  const service = await context.startService({ ...anchors.env, MONGODB_URI: mongo.uri });
  const target: FloodTarget = {
    url: service.url,
    seconds: context.seconds + (2 * leadMs) / 1_000,
    intents: await addSettledIntents(mongo.uri, knownIntents),
  };
  const file = join(context.folder, 'flood.json');
  await writeFile(file, JSON.stringify(target));
  const attacker = await context.startProgram('scripts/bench/disputes/flood', { args: [file] });
  await attacker.ready();

  let usedClients = 0;
  const read = (): Promise<LoadResult> =>
    fire({
      url: `${service.url}/api/rates/usdc-ngn?amount=100`,
      seconds: context.seconds,
      connections: readers,
      expect: 200,
      requests: () => {
        usedClients += clientsPerReader;
        return clientAddresses(usedClients, clientsPerReader).map(forwardedFor);
      },
    });
  const alone = async (): Promise<Measured> => ({ reads: await read(), floodPerSecond: null });
  const under = (flood: 'verified' | 'unknown') => async (): Promise<Measured> => {
    const flooding = attacker.ask(flood) as Promise<LoadResult>;
    await delay(leadMs);
    const [reads, { perSecond: floodPerSecond }] = await Promise.all([read(), flooding]);
    return { reads, floodPerSecond };
  };

  context.say('warming up …');
  await alone();
  await under('verified')();
  const results = await inTurns(rounds, {
    alone,
    unknown: under('unknown'),
    verified: under('verified'),
  });
  const row = (what: string, measured: readonly Measured[]): BenchRow => {
    const p99 = (all: readonly Measured[]) => median(all.map(({ reads }) => reads.p99Ms));
    const floods = measured.flatMap(({ floodPerSecond }) => floodPerSecond ?? []);
    return {
      table: 'a cached public read while disputes arrive',
      what,
      figures: {
        disputes: floods.length === 0 ? '0' : perSecond(median(floods)),
        p50: ms(median(measured.map(({ reads }) => reads.p50Ms))),
        p99: ms(p99(measured)),
        'p99 of idle': ratio(p99(measured), p99(results.alone)),
      },
    };
  };
  return [
    row('none', results.alone),
    row('of unknown intents, so that nothing is verified', results.unknown),
    row('with false signatures, all of them verified', results.verified),
  ];
}
