import { monitorEventLoopDelay } from 'node:perf_hooks';
import { verifyEntry } from '../../contract/verification/verify-batch.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { median, microseconds, ms, ratio } from './lib/figures.js';
import { inTurns } from './lib/in-turns.js';
import { type BenchLog, entryAt, openLog } from './publisher/log.js';

const few = 5_000;
const many = 50_000;
const rounds = 3;
const proofs = 100;

interface Measured {
  tookMs: number;
  /** The longest time for which the event loop of the process was blocked. */
  pauseMs: number;
}

/** Ticks with this many entries and with ten times as many: the cost of one entry, signed only and with an oracle. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongo = await context.startMongo();
  const oracles = [
    await context.startProgram('scripts/bench/publisher/oracle'),
    await context.startProgram('scripts/bench/publisher/oracle'),
  ] as const;
  const [fewUrl, manyUrl] = await Promise.all(oracles.map(async (each) => String(await each.ready())));
  const logs = {
    few: await openLog(mongo.uri, 'few', few),
    many: await openLog(mongo.uri, 'many', many),
    fewSubmitted: await openLog(mongo.uri, 'few_submitted', few, fewUrl),
    manySubmitted: await openLog(mongo.uri, 'many_submitted', many, manyUrl),
  };
  context.onEnd('the connections', async () => {
    for (const log of Object.values(logs)) await log.close();
  });

  context.say('warming up …');
  await tick(logs.fewSubmitted, 'published');
  const ticks = await inTurns(rounds, {
    few: () => tick(logs.few, 'published'),
    many: () => tick(logs.many, 'published'),
    fewSubmitted: () => tick(logs.fewSubmitted, 'published'),
    manySubmitted: () => tick(logs.manySubmitted, 'published'),
  });
  const unchanged = await inTurns(rounds, {
    few: () => tick(logs.few, 'unchanged'),
    many: () => tick(logs.many, 'unchanged'),
  });
  const proving = await inTurns(rounds, {
    few: () => prove(logs.few, few),
    many: () => prove(logs.many, many),
  });

  return [
    ...tickRows('a tick that publishes', ticks.few, ticks.many),
    ...tickRows('a tick that publishes and submits', ticks.fewSubmitted, ticks.manySubmitted),
    ...tickRows('a tick without a change', unchanged.few, unchanged.many),
    proofRow(few, proving.few, proving.few),
    proofRow(many, proving.many, proving.few),
  ];
}

async function tick(log: BenchLog, expected: 'published' | 'unchanged'): Promise<Measured> {
  if (expected === 'published') log.change();
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const startedAt = performance.now();
  const outcome = await log.publisher.tick();
  const tookMs = performance.now() - startedAt;
  delays.disable();
  if (!outcome.ran || outcome.value.result !== expected || outcome.value.failure !== null) {
    throw new Error(`a tick came to ${JSON.stringify(outcome)} instead of ${expected}`);
  }
  return { tookMs, pauseMs: delays.max / 1e6 };
}

/** Proves entries spread over the latest batch, one after the other; milliseconds per proof. */
async function prove(log: BenchLog, size: number): Promise<number> {
  const { sequence = 0 } = (await log.publisher.latestBatch()) ?? {};
  const startedAt = performance.now();
  for (let count = 0; count < proofs; count += 1) {
    const { anchorId, corridor } = entryAt(Math.floor((count * size) / proofs));
    const { batch, ...claim } = await log.publisher.log.prove(sequence, { anchor: anchorId, corridor });
    if (count === 0 && !verifyEntry({ ...claim, header: batch.header }))
      throw new Error('a proof does not hold');
  }
  return (performance.now() - startedAt) / proofs;
}

function tickRows(table: string, small: readonly Measured[], large: readonly Measured[]): BenchRow[] {
  const each = (results: readonly Measured[], size: number) =>
    (1_000 * median(results.map(({ tookMs }) => tookMs))) / size;
  const row = (size: number, results: readonly Measured[]): BenchRow => ({
    table,
    what: `${size.toLocaleString('en-US')} entries`,
    figures: {
      time: ms(median(results.map(({ tookMs }) => tookMs))),
      'an entry': microseconds(each(results, size)),
      'of the fewer': ratio(each(results, size), each(small, few)),
      'longest pause': ms(median(results.map(({ pauseMs }) => pauseMs))),
    },
  });
  return [row(few, small), row(many, large)];
}

function proofRow(size: number, results: readonly number[], reference: readonly number[]): BenchRow {
  return {
    table: 'one proof',
    what: `of ${size.toLocaleString('en-US')} entries`,
    figures: { time: ms(median(results)), 'of the fewer': ratio(median(results), median(reference)) },
  };
}
