import { setTimeout as delay } from 'node:timers/promises';
import { exampleCard } from '../../contract/examples/reputation.js';
import type { EntryProof, TickAnswer } from '../../contract/schemas/publisher.js';
import type { ScoreCard } from '../../contract/schemas/score-card.js';
import { verifyEntry } from '../../contract/verification/verify-batch.js';
import type { AnchorCards } from '../../server/features/reputation/card.rules.js';
import { connectMongo } from '../../server/mongo/connection.js';
import { addressIn } from '../lib/addresses.js';
import { type BenchContext, type BenchRow, benchCronSecret, type ServiceProcess } from './lib/bench.js';
import { median, ms, percentile, ratio } from './lib/figures.js';
import { inTurns } from './lib/in-turns.js';

const anchors = 500;
const corridors = Array.from({ length: 20 }, (_, at) => `usdc-${String.fromCharCode(97 + at)}aa`);
const size = anchors * corridors.length;
const rounds = 5;
const readsPerSecond = 200;
const proofsPerSecond = 20;

/** A tick of as many entries as a batch holds, and what proofs of it cost those who read something else meanwhile. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongo = await context.startMongo();
  const { env } = await context.startAnchors();
  const service = await context.startService({
    ...env,
    MONGODB_URI: mongo.uri,
    PUBLISHER_SECRET_KEY: '15'.repeat(32),
  });
  const connection = await connectMongo({ uri: mongo.uri });
  context.onEnd('the connection', () => connection.close());
  const cards = connection.collection<AnchorCards & { run: number }>('reputation_cards');
  const state = connection.collection<{ _id: string }>('reputation_state');

  /** Puts other cards in force, as a refresh does. */
  async function setCards(runOfCards: number): Promise<void> {
    await cards.insertMany(Array.from({ length: anchors }, (_, at) => cardsOfAnchor(at, runOfCards)));
    const change = { $set: { run: runOfCards, computedAt: new Date(), speedTargets: {} } };
    await state.updateOne({ _id: 'cards' }, change, { upsert: true });
    await cards.deleteMany({ run: { $ne: runOfCards } });
  }

  const reads = async (seconds: number) => latenciesOf(service, '/api/corridors', readsPerSecond, seconds);
  const proofs = async (seconds: number) =>
    Promise.all([reads(seconds), latenciesOf(service, proofPath(), proofsPerSecond, seconds, checkProof)]);
  const ticks: number[] = [];
  for (let made = 1; made <= rounds; made += 1) {
    await setCards(made);
    await delay(6_000);
    ticks.push(await timedTick(service));
  }
  // A window of every client is opened.
  await proofs(context.seconds);
  const times = await inTurns(rounds, {
    alone: async () => [percentile(await reads(context.seconds), 99)],
    beside: async () => {
      const both = await proofs(context.seconds);
      return both.map((latencies) => percentile(latencies, 99));
    },
  });
  const [alone, beside, proof] = [times.alone, times.beside, times.beside.map(([, second]) => [second])].map(
    (each) => median(each.map(([first = Number.NaN]) => first)),
  ) as [number, number, number];
  const table = `a batch of ${size} entries`;
  return [
    { table, what: 'the tick that makes it', figures: { time: ms(median(ticks)) } },
    { table, what: `${readsPerSecond} other reads a second alone`, figures: { p99: ms(alone) } },
    {
      table,
      what: `the same beside ${proofsPerSecond} proofs a second`,
      figures: { p99: ms(beside), 'of alone': ratio(beside, alone) },
    },
    { table, what: 'the proofs', figures: { p99: ms(proof) } },
  ];
}

function cardsOfAnchor(at: number, runOfCards: number): AnchorCards & { run: number } {
  const anchorId = `anchor-${String(at).padStart(3, '0')}`;
  const cardIn = (corridor: string): ScoreCard => ({
    ...exampleCard,
    anchorId,
    corridor,
    outcomes: 400 + runOfCards,
  });
  const window = {
    window: 30,
    own: {},
    cards: corridors.map((corridor) => ({ card: cardIn(corridor), signs: {} })),
  };
  const ranked = { anchorName: anchorId, simulated: true, serves: corridors, isActive: true };
  // Only the cards are read by the publisher.
  return {
    _id: `${anchorId}-${runOfCards}`,
    ...ranked,
    windows: [window],
    run: runOfCards,
  } as unknown as AnchorCards & {
    run: number;
  };
}

async function timedTick({ url }: ServiceProcess): Promise<number> {
  const began = performance.now();
  const authorization = `Bearer ${benchCronSecret}`;
  const answer = await fetch(`${url}/api/publisher/tick`, { method: 'POST', headers: { authorization } });
  const { batch } = (await answer.json()) as TickAnswer;
  if (batch?.header.size !== size)
    throw new Error(`the tick answered ${answer.status}, without a batch of ${size}`);
  return performance.now() - began;
}

function proofPath(): () => string {
  let asked = 0;
  return () => {
    asked += 1;
    const anchor = `anchor-${String((asked * 37) % anchors).padStart(3, '0')}`;
    return `/api/publisher/batches/${rounds}/proof?anchor=${anchor}&corridor=${corridors[asked % corridors.length]}`;
  };
}

function checkProof(body: unknown): void {
  const { batch, ...claim } = body as EntryProof;
  if (!verifyEntry({ ...claim, header: batch.header })) throw new Error('a proof does not verify');
}

let clients = 0;

/** Sends so many requests a second, each of a new client, whether or not the ones before were answered. */
async function latenciesOf(
  { url }: ServiceProcess,
  path: string | (() => string),
  perSecond: number,
  seconds: number,
  check?: (body: unknown) => void,
): Promise<number[]> {
  const begun = performance.now();
  const one = async (at: number) => {
    await delay(begun + (at * 1_000) / perSecond - performance.now());
    const sentAt = performance.now();
    clients += 1;
    const headers = { 'x-forwarded-for': addressIn(10, clients % 1_000) };
    const answer = await fetch(url + (typeof path === 'string' ? path : path()), { headers });
    const body = await answer.json();
    const latencyMs = performance.now() - sentAt;
    if (answer.status !== 200) throw new Error(`${answer.status} instead of 200`);
    // Some are enough: verifying takes this process, which also measures, longer than the service takes.
    if (at % 50 === 0) check?.(body);
    return latencyMs;
  };
  return Promise.all(Array.from({ length: Math.ceil(perSecond * seconds) }, (_, at) => one(at)));
}
