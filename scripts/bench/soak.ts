import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { publicKeyOf } from '../../contract/verification/ed25519.js';
import { encodePublicKey } from '../../contract/verification/strkey.js';
import { type BenchContext, type BenchRow, benchAdminKey } from './lib/bench.js';
import { megabytes, ms, perSecond, significant } from './lib/figures.js';
import { type Program, processRssBytes } from './lib/program.js';
import { type CollectedReading, checksOf, type SoakCheck, type SoakPart } from './soak/checks.js';
import { openFiles, openServerReadings } from './soak/readings.js';
import { findSustainableRate } from './soak/sustainable-rate.js';
import type { TrafficReport, TrafficStart } from './soak/traffic.js';

/** The soak takes longer than all other benches together. */
export const onlyWhenNamed = true;

const fullMinutes = 20;
const minutes = Number(process.env.BENCH_SOAK_MINUTES || fullMinutes);
/** Requests a second; without it, half of what the service is found to sustain. */
const givenRate = Number(process.env.BENCH_SOAK_RATE || 0);
/** `minutes` of measurement, and a few minutes for the search of the rate before it. */
export const limitMs = minutes * 60_000 + 400_000;

const parts = 20;
const connections = 256;
const streams = 200;
const distinct = 1_000_000;

/** Mixed load at half the sustainable rate, of clients and for amounts that never come twice: nothing may pile up. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const { say, signal } = context;
  const mongod = await context.startMongo();
  const anchors = await context.startAnchors();
  const receiver = await context.startProgram('scripts/bench/webhooks/receiver');
  const receiverUrl = String(await receiver.ready());
  const service = await context.startService({
    ...anchors.env,
    MONGODB_URI: mongod.uri,
    SCHEDULER: 'on',
    PUBLISHER_SECRET_KEY: '5b'.repeat(32),
    OUTBOUND_ALLOW: `${anchors.env.OUTBOUND_ALLOW},${receiverUrl}`,
    // Nobody pays: the places of unpaid intents must not run out.
    MAX_UNPAID_INTENTS: '100000000',
  });
  const server = await openServerReadings(mongod.uri);
  context.onEnd('the readings of the server', server.close);
  const traffic = await startTraffic(context, {
    origin: service.url,
    account: encodePublicKey(publicKeyOf(new Uint8Array(32).fill(7))),
    adminKey: benchAdminKey,
    webhookId: await registerWebhook(service.url, `${receiverUrl}/plain`),
    connections,
    streams,
  });
  const report = async () => (await traffic.ask('report')) as TrafficReport;
  const collected = async (): Promise<CollectedReading> => {
    await traffic.ask('rate', 0);
    await delay(2_000);
    return { heapBytes: (await service.memory()).heapBytes, ...(await service.objects()) };
  };

  const start = await collected();
  const found =
    givenRate > 0
      ? undefined
      : await findSustainableRate({ traffic, report, seconds: context.seconds * 2, say });
  const rate = found === undefined ? givenRate : Math.floor(found / 2);
  const why =
    found === undefined ? 'as it was asked for' : `half of the ${perSecond(found)} that it sustained`;
  say(`${rate}/s for ${minutes} minutes …`);
  const before = await report();
  const load = loadavg()[0] ?? 0;

  const partMs = (minutes * 60_000) / parts;
  const measured: SoakPart[] = [];
  const rows: BenchRow[] = [];
  const statuses: Record<string, number> = {};
  let filled = start;
  await traffic.ask('rate', rate);
  for (let part = 1; part <= parts; part += 1) {
    await Promise.race([delay(partMs, undefined, { signal }), traffic.crashed, service.crashed]);
    const [seen, files, resources, sessions] = await Promise.all([
      report(),
      openFiles(service.pid),
      service.resources(),
      server.read(),
    ]);
    for (const [key, count] of Object.entries(seen.statuses)) statuses[key] = (statuses[key] ?? 0) + count;
    const reading: SoakPart = {
      answers: seen.answers,
      p50Ms: seen.p50Ms,
      p99Ms: seen.p99Ms,
      registerP99Ms: seen.registerP99Ms,
      waiting: seen.waiting,
      rssBytes: await processRssBytes(service.pid),
      mongodRssBytes: await processRssBytes(mongod.pid ?? 0),
      clients: seen.connections + seen.streams.open,
      ownSockets: files.sockets - seen.connections - seen.streams.open,
      otherFiles: files.others,
      timers: resources.active.Timeout ?? 0,
      listeners: resources.listeners,
      listenerWarnings: resources.listenerWarnings,
      ...sessions,
    };
    measured.push(reading);
    rows.push(partRow(part, partMs, reading));
    say(`part ${part} of ${parts}: ${JSON.stringify(rows.at(-1)?.figures)}`);
    if (part !== parts / 4) continue;
    filled = await collected();
    // What waited while the memory was read is not part of the next minute.
    await report();
    await traffic.ask('rate', rate);
  }
  const end = await collected();
  const after = await report();
  await traffic.ask('stop');

  const checks = checksOf({
    parts: measured,
    filled,
    end,
    addresses: after.addresses - before.addresses,
    amounts: after.amounts - before.amounts,
    goal: Math.min(distinct, Math.round((distinct * minutes) / fullMinutes)),
    lostStreams: after.streams.lost,
  });
  reportBroken(checks, say);
  const title = `soak of ${significant(minutes)} minutes at ${perSecond(rate)}, ${why}, load of the machine ${significant(load)} before and ${significant(loadavg()[0] ?? 0)} after it`;
  return [
    ...rows.map((row) => ({ ...row, table: title })),
    ...countRows(statuses, after),
    ...memoryRows({ start, filled, end }),
    ...checks.map(checkRow),
  ];
}

async function startTraffic(context: BenchContext, start: TrafficStart): Promise<Program> {
  const traffic = await context.startProgram('scripts/bench/soak/traffic');
  await traffic.ready();
  await traffic.ask('start', start);
  return traffic;
}

async function registerWebhook(origin: string, url: string): Promise<string> {
  const answer = await fetch(`${origin}/api/admin/webhooks`, {
    method: 'POST',
    headers: { 'x-admin-key': benchAdminKey, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: ['intent.settled'], secret: 'the secret of the soak' }),
  });
  if (answer.status !== 201) throw new Error(`registering the webhook answered ${answer.status}`);
  return ((await answer.json()) as { id: string }).id;
}

function partRow(part: number, partMs: number, reading: SoakPart): BenchRow {
  return {
    table: '',
    what: partMs === 60_000 ? `minute ${part}` : `part ${part}`,
    figures: {
      requests: perSecond((reading.answers * 1_000) / partMs),
      p50: ms(reading.p50Ms),
      p99: ms(reading.p99Ms),
      'p99 of registrations': ms(reading.registerP99Ms),
      RSS: megabytes(reading.rssBytes),
      'RSS of mongod': megabytes(reading.mongodRssBytes),
      'connections of clients': String(reading.clients),
      'other sockets': String(reading.ownSockets),
      'other files': String(reading.otherFiles),
      timers: String(reading.timers),
      sessions: String(reading.sessions),
      'open transactions': String(reading.openTransactions),
      'connections of MongoDB': String(reading.connections),
      cursors: String(reading.openCursors),
    },
  };
}

function countRows(statuses: Record<string, number>, { streams: held }: TrafficReport): BenchRow[] {
  const row = (what: string, count: number): BenchRow => ({
    table: 'what was answered, by kind of request and status',
    what,
    figures: { answers: significant(count) },
  });
  return [
    ...Object.entries(statuses)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, count]) => row(key, count)),
    row('streams opened', held.opened),
    row('streams refused', held.refused),
    row('answers on streams', held.answers),
  ];
}

function memoryRows(readings: Record<string, CollectedReading>): BenchRow[] {
  const names = { start: 'before the load', filled: 'after a quarter of it', end: 'at the end' };
  return Object.entries(readings).map(([key, { heapBytes, ...objects }]) => ({
    table: 'what one process keeps, after full collections',
    what: names[key as keyof typeof names],
    figures: {
      'heap and buffers': megabytes(heapBytes),
      ...Object.fromEntries(Object.entries(objects).map(([kind, count]) => [kind, significant(count)])),
    },
  }));
}

/** Makes the command fail, but lets the tables be printed, which show what grew and since when. */
function reportBroken(checks: readonly SoakCheck[], say: (line: string) => void): void {
  const broken = checks.filter(({ holds }) => !holds).map(({ what }) => what);
  if (broken.length === 0) return;
  say(`soak: does not hold: ${broken.join('; ')}`);
  process.exitCode = 1;
}

function checkRow({ what, before, after, bound, holds }: SoakCheck): BenchRow {
  return {
    table: 'checks',
    what,
    figures: {
      before: significant(before),
      after: significant(after),
      bound: significant(bound),
      result: holds ? 'holds' : 'DOES NOT HOLD',
    },
  };
}
