import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { eventExamples } from '../../contract/examples/events.js';
import { deliveryHeaders } from '../../server/deliveries/signed-headers.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { median, microseconds, ms, percentile, perSecond, ratio } from './lib/figures.js';
import { inTurns } from './lib/in-turns.js';
import { processCpuMs } from './lib/program.js';
import { benchSecret, nowMs } from './webhooks/shared.js';
import { freshId, openTarget, type WebhookTarget } from './webhooks/target.js';

const rounds = 3;
/** The service's number of concurrent deliveries to one webhook. */
const atOnce = 8;
const dueForTheDead = 300_000;
const dueText = dueForTheDead.toLocaleString('en-US');
const eventsASecond = 40;
/** What is asked of the service: deliveries as a share of bare POSTs, p50 when idle, and p99 beside bad receivers. */
const goals = { ofBare: 0.5, p50Ms: 100, p99Ratio: 2 };

interface Rate {
  perSecond: number;
  /** Processor time of each process, in microseconds a POST. */
  senderUs: number;
  receiverUs: number;
  mongodUs?: number;
}

/** Deliveries a second beside bare POSTs; from commit to POST; and what dead and hanging receivers do to another's. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const deadOrigin = await closedOrigin();
  const target = await openTarget(context, deadOrigin);
  return [
    ...(await sustained(context, target, '/verify', 'a receiver that verifies')),
    ...(await sustained(context, target, '/plain', 'a receiver that only answers')),
    ...(await besideOthers(context, target, deadOrigin)),
  ];
}

/** An origin where nothing listens. */
async function closedOrigin(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

async function sustained(
  context: BenchContext,
  target: WebhookTarget,
  path: string,
  table: string,
): Promise<BenchRow[]> {
  const id = await target.register(target.origin + path, 'intent.settled');
  context.say(`${path}: warming up …`);
  await delivered(target, id, 3_000);
  const seconds = context.seconds / rounds;
  const results = await inTurns(rounds, {
    alone: () => bare(target, path, 1, seconds),
    together: () => bare(target, path, atOnce, seconds),
    service: () => delivered(target, id, Math.ceil(9_000 * seconds)),
  });
  const rate = (all: readonly Rate[]) => median(all.map((one) => one.perSecond));
  const share = (all: readonly Rate[], of: readonly Rate[]) => {
    const text = ratio(rate(all), rate(of));
    if (all !== results.service) return text;
    return besideGoal(text, `×${goals.ofBare}`, rate(all) >= goals.ofBare * rate(of));
  };
  const row = (what: string, all: readonly Rate[]): BenchRow => ({
    table: `sustained deliveries to ${table}`,
    what,
    figures: {
      deliveries: perSecond(rate(all)),
      'of one at a time': share(all, results.alone),
      [`of ${atOnce} at a time`]: share(all, results.together),
      'CPU of the sender': microseconds(median(all.map(({ senderUs }) => senderUs))),
      'of the receiver': microseconds(median(all.map(({ receiverUs }) => receiverUs))),
      ...(all === results.service
        ? { 'of mongod': microseconds(median(all.map(({ mongodUs = Number.NaN }) => mongodUs))) }
        : {}),
    },
  });
  return [
    row('undici POSTs, one at a time', results.alone),
    row(`undici POSTs, ${atOnce} at a time`, results.together),
    row('this service, one webhook', results.service),
  ];
}

/** Repeated POSTs of one signed delivery, without any other work. */
async function bare(
  target: WebhookTarget,
  path: string,
  connections: number,
  seconds: number,
): Promise<Rate> {
  const eventId = `evt_${freshId()}`;
  const body = JSON.stringify({
    event: 'intent.settled',
    id: eventId,
    createdAt: new Date().toISOString(),
    data: eventExamples['intent.settled'],
  });
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const secrets = [benchSecret];
  const parts = { event: 'intent.settled', eventId, body, test: false, secrets, timestampSeconds } as const;
  const headers = deliveryHeaders(parts);
  const pool = new Pool(target.origin, { connections });
  const cpuMs = async () => [ownCpuMs(), await target.receiver.cpuMs()] as const;
  const before = await cpuMs();
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  let sent = 0;
  const poster = async () => {
    while (performance.now() < endsAt) {
      const answer = await pool.request({ method: 'POST', path, headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
      sent += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, poster));
  const tookMs = performance.now() - startedAt;
  const after = await cpuMs();
  await pool.close();
  await target.receiver.ask('arrivals');
  return { perSecond: (sent * 1_000) / tookMs, ...each(before, after, sent) };
}

/** The service on a backlog of so many events, each to be fanned out, claimed, signed, sent and recorded. */
async function delivered(target: WebhookTarget, webhookId: string, count: number): Promise<Rate> {
  await target.enable(webhookId, false);
  await target.backlog(webhookId, count);
  const cpuMs = () =>
    Promise.all([target.service.cpuMs(), target.receiver.cpuMs(), processCpuMs(target.mongodPid)]);
  const before = await cpuMs();
  await target.enable(webhookId, true);
  const arrivals = await target.arrivals(count);
  const after = await cpuMs();
  const ids = new Set(arrivals.map(([id]) => id));
  if (ids.size !== count) throw new Error(`${ids.size} of ${count} events arrived`);
  const times = arrivals.map(([, atMs]) => atMs);
  const tookMs = Math.max(...times) - Math.min(...times);
  return { perSecond: ((count - 1) * 1_000) / tookMs, ...each(before, after, count) };
}

type CpuMs = readonly [sender: number, receiver: number, mongod?: number];

function each(before: CpuMs, after: CpuMs, count: number): Omit<Rate, 'perSecond'> {
  const us = (from: number, to: number) => ((to - from) * 1_000) / count;
  const rest = { senderUs: us(before[0], after[0]), receiverUs: us(before[1], after[1]) };
  const [mongodFrom, mongodTo] = [before[2], after[2]];
  if (mongodFrom === undefined || mongodTo === undefined) return rest;
  return { ...rest, mongodUs: us(mongodFrom, mongodTo) };
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Latency from commit to POST of one webhook: alone, and beside receivers that are dead or hang. */
async function besideOthers(
  context: BenchContext,
  target: WebhookTarget,
  deadOrigin: string,
): Promise<BenchRow[]> {
  const others = {
    dead: await target.register(`${deadOrigin}/`, 'intent.failed'),
    hanging: await target.register(`${target.origin}/hang`, 'intent.failed'),
  };
  await target.register(`${target.origin}/plain`, 'publisher.tick');
  context.say('from commit to POST, on an idle service …');
  const idle = await latencies(target, context.seconds);

  for (const id of Object.values(others)) await target.enable(id, false);
  context.say(`${dueText} deliveries for a dead receiver …`);
  await target.dueDeliveries(others.dead, dueForTheDead);
  await target.dueDeliveries(others.hanging, 1_000);
  const measured = async (enabled: boolean) => {
    for (const id of Object.values(others)) await target.enable(id, enabled);
    // The hanging one has taken its places, and the dead one is known to fail.
    await sleep(1_000);
    return latencies(target, context.seconds);
  };
  const turns = await inTurns(rounds, { without: () => measured(false), beside: () => measured(true) });
  const without = turns.without.flat();
  const beside = turns.beside.flat();
  const p99 = percentile(beside, 99) / percentile(without, 99);
  const p50 = percentile(idle, 50);
  return [
    latencyRow('on an idle service', idle, {
      p50: besideGoal(ms(p50), `${goals.p50Ms} ms`, p50 < goals.p50Ms),
    }),
    latencyRow('the dead and the hanging webhook disabled', without, {
      'of the p99 with them disabled': '×1',
    }),
    latencyRow(`beside a hanging receiver, and ${dueText} due for a dead one`, beside, {
      'of the p99 with them disabled': besideGoal(ratio(p99, 1), `×${goals.p99Ratio}`, p99 <= goals.p99Ratio),
    }),
  ];
}

async function latencies(target: WebhookTarget, seconds: number): Promise<number[]> {
  const committed = new Map<string, number>();
  const endsAt = nowMs() + seconds * 1_000;
  while (nowMs() < endsAt) {
    const { id, committedMs } = await target.emit('publisher.tick');
    committed.set(id, committedMs);
    await sleep(1_000 / eventsASecond);
  }
  const arrivals = await target.arrivals(committed.size);
  const waited = arrivals.flatMap(([id, atMs]) => {
    const at = committed.get(id);
    return at === undefined ? [] : [atMs - at];
  });
  if (waited.length < committed.size) throw new Error(`${waited.length} of ${committed.size} events arrived`);
  return waited;
}

function latencyRow(what: string, all: readonly number[], others: BenchRow['figures']): BenchRow {
  const figures = { p50: ms(percentile(all, 50)), p99: ms(percentile(all, 99)), ...others };
  return { table: 'from commit to POST', what, figures };
}

/** A figure beside what it is meant to be, and whether it is: `×0.57, goal ×0.5: met`. */
function besideGoal(figure: string, goal: string, met: boolean): string {
  return `${figure}, goal ${goal}: ${met ? 'met' : 'missed'}`;
}
