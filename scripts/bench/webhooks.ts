/**
 * Deliveries a second and how evenly, on three members and on one: from a backlog of events whose deliveries are not made
 * yet, to a receiver that verifies each. BENCH_BEFORE names a checkout to measure in the same run.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoMemoryReplSet } from 'mongodb-memory-server-core';
import { mongo } from 'mongoose';
import { eventExamples } from '../../contract/examples/events.js';
import { verifyWebhook } from '../../contract/verification/verify-webhook.js';
import { isMain } from '../../server/is-main.js';
import { findMongod } from '../find-mongod.js';
import { type Compiled, compile } from '../lib/compile.js';
import { withDatabase } from '../mongod/uri.js';
import { type BenchContext, type BenchRow, benchAdminKey, type ServiceProcess } from './lib/bench.js';
import { median, ms, perSecond, ratio } from './lib/figures.js';
import { processCpuMs } from './lib/program.js';
import { answerQuestion } from './lib/programs/answer-questions.js';

/** With measurements of three seconds, and a version before. */
export const limitMs = 3_600_000;
export const onlyWhenNamed = true;

const secret = 'the secret of the webhooks bench';
/** A case that takes longer ends, and its figures are of what was delivered by then. */
const longestSeconds = 240;
/** `events`: how many in measurements of three seconds. */
const cases = [
  { webhooks: 300, hanging: 0, events: 256 },
  { webhooks: 1, hanging: 0, events: 20_000 },
  { webhooks: 300, hanging: 100, events: 256 },
];
type Case = (typeof cases)[number];

export async function run(context: BenchContext): Promise<BenchRow[]> {
  const before = process.env.BENCH_BEFORE;
  const builds: [string, Compiled | undefined][] = [['this service', undefined]];
  if (before !== undefined) {
    const release = await compile({ name: 'before', root: before });
    context.onEnd('the version before', release.remove);
    builds.push(['the version before', release]);
  }
  const rows: BenchRow[] = [];
  for (const members of [3, 1])
    for (const { webhooks, hanging, events: ofThreeSeconds } of cases) {
      const events = Math.round((ofThreeSeconds * context.seconds) / 3);
      const hang = hanging > 0 ? `, of which ${hanging} hang` : '';
      const table = `${webhooks} webhooks × ${events} events${hang}, members: ${members}`;
      for (const [what, release] of builds) {
        context.say(`${table}, ${what} …`);
        const figures = await measure(context, members, { webhooks, hanging, events }, release);
        rows.push({ table, what, figures });
      }
    }
  return rows;
}

async function measure(
  context: BenchContext,
  members: number,
  { webhooks, hanging, events }: Case,
  release: Compiled | undefined,
): Promise<BenchRow['figures']> {
  const database = await startMembers(members);
  const receiver = await context.startProgram('scripts/bench/webhooks', { args: ['receive'] });
  const origin = String(await receiver.ready());
  const anchors = await context.startAnchors();
  const env = { ...anchors.env, MONGODB_URI: database.uri, LOG_LEVEL: 'error' };
  const allow = { OUTBOUND_ALLOW: `${anchors.env.OUTBOUND_ALLOW},${origin}` };
  const service = await context.startService({ ...env, ...allow }, release === undefined ? {} : { release });
  const client = await mongo.MongoClient.connect(database.uri);
  try {
    const subscribers: string[] = [];
    for (let n = 0; n < webhooks; n += 1)
      subscribers.push(await register(service, `${origin}/${n % 3 === 0 && n / 3 < hanging ? 'hang' : n}`));
    const expected = (webhooks - hanging) * events;
    const idle = await askAsNewClients(service, async () => false, context.seconds);
    await client.db().collection<{ _id: string }>('outbox').insertMany(eventsFor(subscribers, events));
    const cpuMs = async () => (await Promise.all([service.cpuMs(), database.cpuMs()])).map(Number);
    const [serviceMs = 0, databaseMs = 0] = await cpuMs();
    const startedAt = performance.now();
    const received = async () => (await receiver.ask('received')) as Received;
    let halfway: number[] = [];
    const busy = await askAsNewClients(
      service,
      async () => {
        const each = Object.values((await received()).counts);
        const all = sumOf(each);
        if (all <= expected / 2) halfway = each;
        return all >= expected;
      },
      longestSeconds,
    );
    const tookSeconds = (performance.now() - startedAt) / 1_000;
    const [serviceNow = 0, databaseNow = 0] = await cpuMs();
    const { counts, twice } = await received();
    if (twice > 0) throw new Error(`${twice} deliveries were made twice`);
    const all = sumOf(Object.values(counts));
    return {
      deliveries: perSecond(all / tookSeconds),
      'CPU of the service': ms((serviceNow - serviceMs) / all),
      'of mongod': ms((databaseNow - databaseMs) / all),
      'halfway, fewest and most of a webhook': `${halfway.length < webhooks - hanging ? 0 : Math.min(...halfway)}, ${Math.max(...halfway)}`,
      'p50 of new clients': ms(median(busy)),
      'of idle': ratio(median(busy), median(idle)),
    };
  } finally {
    await client.close();
    for (const part of [service, receiver, anchors, database]) await part.stop();
  }
}

/** Members in processes of their own, as light as for tests. */
async function startMembers(
  count: number,
): Promise<{ uri: string; cpuMs(): Promise<number>; stop(): Promise<void> }> {
  const found = await findMongod({ env: { ...process.env, MONGODB_URI: undefined } });
  if (found.kind !== 'binary') throw new Error('this bench needs a mongod of its own');
  const args = ['--wiredTigerCacheSizeGB', '0.5', '--setParameter', 'diagnosticDataCollectionEnabled=false'];
  const set = await MongoMemoryReplSet.create({
    binary: { systemBinary: found.path, version: found.version },
    replSet: { count, storageEngine: 'wiredTiger', args },
  });
  const pids = set.servers.flatMap((one) => one.instanceInfo?.instance.mongodProcess?.pid ?? []);
  return {
    uri: withDatabase(set.getUri(), 'bench'),
    cpuMs: async () => (await Promise.all(pids.map(processCpuMs))).reduce((sum, one) => sum + one, 0),
    stop: async () => void (await set.stop()),
  };
}

let clients = 0;
const newClient = () => {
  clients += 1;
  return { 'x-forwarded-for': `203.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}` };
};

async function register(service: ServiceProcess, url: string): Promise<string> {
  const answer = await fetch(`${service.url}/api/admin/webhooks`, {
    method: 'POST',
    headers: { 'x-admin-key': benchAdminKey, 'content-type': 'application/json', ...newClient() },
    body: JSON.stringify({ url, events: ['intent.settled'], secret }),
  });
  if (answer.status !== 201) throw new Error(`a registration was answered ${answer.status}`);
  return ((await answer.json()) as { id: string }).id;
}

const sumOf = (each: readonly number[]) => each.reduce((sum, one) => sum + one, 0);

/** How long requests of clients that were never there before take, twenty a second. */
async function askAsNewClients(
  service: ServiceProcess,
  isDone: () => Promise<boolean>,
  seconds: number,
): Promise<number[]> {
  const tookMs: number[] = [];
  const endsAt = performance.now() + seconds * 1_000;
  while (performance.now() < endsAt && !(await isDone())) {
    await sleep(50);
    const startedAt = performance.now();
    const answer = await fetch(`${service.url}/api/corridors`, { headers: newClient() });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a request was answered ${answer.status}`);
    tookMs.push(performance.now() - startedAt);
  }
  return tookMs;
}

function eventsFor(subscribers: readonly string[], count: number) {
  return Array.from({ length: count }, (_, n) => ({
    _id: `evt_${randomBytes(16).toString('hex')}`,
    event: 'intent.settled',
    createdAt: new Date(Date.now() + n / 1_000),
    data: eventExamples['intent.settled'],
    subscribers: [...subscribers],
    open: true,
  }));
}

interface Received {
  /** By path. */
  counts: Record<string, number>;
  /** Deliveries of the same event to the same path. */
  twice: number;
}

/** The receiver, in a process of its own: verifies and acknowledges, but never answers `/hang`. */
function receive(): void {
  const seen = new Set<string>();
  const received: Received = { counts: {}, twice: 0 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      if (url === '/hang') return;
      verifyWebhook({ body: Buffer.concat(chunks), headers, secret });
      const key = `${url} ${headers['webhook-id']}`;
      if (seen.has(key)) received.twice += 1;
      seen.add(key);
      received.counts[url] = (received.counts[url] ?? 0) + 1;
      response.end('ok');
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  answerQuestion('received', () => received);
}

if (isMain(import.meta.url) && process.argv.includes('receive')) receive();
