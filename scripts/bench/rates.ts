import type { BenchContext, BenchRow } from './lib/bench.js';
import { median, memoryFigures, microseconds, ms, ratio } from './lib/figures.js';
import { inTurns, linesInTurns } from './lib/in-turns.js';
import type { Program } from './lib/program.js';
import { openCrowd } from './rates/all-at-once.js';
import { ratesOverInstantAnchors } from './rates/instant-anchors.js';

const rounds = 5;
const crowdSize = 1_000;
const ratesPath = '/api/rates/usdc-ngn';
const fleetSizes = [5, 20, 100];
/** Beyond these, the bounded caches are full: they do not hold that many answers and rows of eight anchors. */
const amountsThatFill = 4_000;
const amountsThatFollow = 8_000;

/** Many concurrent requests for a missing answer; the cost of making an answer; and the memory of all that are kept. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  return [
    ...(await manyAtOnce(context)),
    ...(await costOfAnswers(context.seconds)),
    ...(await memoryKept(context)),
  ];
}

/** Throws where an anchor was asked another number of times than once for a cold amount. */
async function manyAtOnce(context: BenchContext): Promise<BenchRow[]> {
  const mongo = await context.startMongo();
  const anchors = await context.startAnchors();
  const service = await context.startService({ ...anchors.env, MONGODB_URI: mongo.uri });
  const crowd = await openCrowd(service.url, crowdSize);
  context.onEnd('the crowd', async () => crowd.close());
  const one = await openCrowd(service.url, 1);
  context.onEnd('the one', async () => one.close());
  let amount = 100;
  const cold = () => {
    amount += 1;
    return `${ratesPath}?amount=${amount}`;
  };
  // Finds the anchors' addresses, which is not what a cold amount costs.
  await one.ask(cold());

  const results = await inTurns(rounds, {
    oneCold: () => one.ask(cold()),
    crowdCold: async () => {
      await anchors.resetCalls();
      const tookMs = await crowd.ask(cold());
      const calls = Object.entries(await anchors.calls()).filter(([, count]) => count !== 0);
      if (calls.length === 0 || calls.some(([, count]) => count !== 1)) {
        throw new Error(`anchors were not asked once each: ${JSON.stringify(Object.fromEntries(calls))}`);
      }
      return tookMs;
    },
    crowdKept: async () => {
      const path = cold();
      await one.ask(path);
      return crowd.ask(path);
    },
  });
  const kept = median(results.crowdKept);
  const row = (what: string, times: number[], calls: string): BenchRow => ({
    table: `GET ${ratesPath}, until the last answer`,
    what,
    figures: {
      time: ms(median(times)),
      'of the cached': ratio(median(times), kept),
      'calls an anchor': calls,
    },
  });
  return [
    row('one request, nothing cached', results.oneCold, '1'),
    row(`${crowdSize} at once, nothing cached`, results.crowdCold, '1'),
    row(`${crowdSize} at once, cached`, results.crowdKept, '0'),
  ];
}

/** In this process alone: parsing and checking anchors' replies, ranking, assembling; then serving the cached answer. */
async function costOfAnswers(seconds: number): Promise<BenchRow[]> {
  const fixtures = fleetSizes.map((size) => ({ size, fixture: ratesOverInstantAnchors(size) }));
  const measures = fixtures.flatMap(({ size, fixture }) => [
    { size, fresh: true, measure: () => timeQuotes(fixture, seconds / 10, true) },
    { size, fresh: false, measure: () => timeQuotes(fixture, seconds / 10, false) },
  ]);
  const measured = await linesInTurns(rounds, measures);
  const medians = measured.map(({ size, fresh, results }) => ({ size, fresh, us: median(results) }));
  const [first] = medians;
  return medians.map(({ size, fresh, us }) => ({
    table: 'one answer, made and handed out again (anchors answer at once, without a network)',
    what: `${size} anchors, ${fresh ? 'made' : 'cached'}`,
    figures: {
      time: microseconds(us),
      'an anchor': fresh ? microseconds(us / size) : '',
      [`of ${first?.size} made`]: ratio(us, first?.us ?? Number.NaN),
    },
  }));
}

/** Mean microseconds of a quote; a fresh one is for an amount not asked for before. */
async function timeQuotes(
  { rates, pass }: ReturnType<typeof ratesOverInstantAnchors>,
  seconds: number,
  fresh: boolean,
) {
  const until = performance.now() + seconds * 1_000;
  const startedAt = performance.now();
  let count = 0;
  while (performance.now() < until) {
    const amount = fresh ? (10 + (nextAmount++ % 99_000) / 10).toFixed(1) : '100';
    await rates.quote('usdc-ngn', { amount });
    // The time passes within the anchors' call budgets; a cached answer stays fresh.
    if (fresh) pass(150);
    count += 1;
  }
  return ((performance.now() - startedAt) * 1_000) / count;
}

let nextAmount = 0;

async function memoryKept(context: BenchContext): Promise<BenchRow[]> {
  const fixture = await context.startProgram('scripts/bench/rates/memory');
  await fixture.ready();
  const empty = await fixture.memory();
  const filled = await askUntil(fixture, amountsThatFill);
  const later = await askUntil(fixture, amountsThatFill + amountsThatFollow);
  return [empty, filled, later].map((memory, place) => ({
    table: 'memory of one process, 8 anchors, 10 corridors, an amount of its own each time',
    what: `after ${[0, amountsThatFill, amountsThatFill + amountsThatFollow][place]?.toLocaleString('en-US')}`,
    figures: memoryFigures(memory, empty, filled),
  }));
}

async function askUntil(fixture: Program, amounts: number) {
  while (Number(await fixture.ask('ask')) < amounts);
  return fixture.memory();
}
