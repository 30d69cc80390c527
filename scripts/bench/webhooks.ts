/** A backlog of events until a receiver has all of them. Takes some six minutes. */
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { eventExamples } from '../../contract/examples/events.js';
import { verifyWebhook } from '../../contract/verification/verify-webhook.js';
import { credentials } from '../lib/instances.js';
import { listenOnLoopback } from '../lib/loopback-server.js';
import type { BenchContext, BenchService } from './lib/context.js';
import { type BenchRow, medianOf, ms, perSecond, ratio } from './lib/figures.js';
import { fire, newClient, withCpu } from './lib/load.js';

export const onlyWhenNamed = true;

const secret = 'the secret of the webhooks bench';
/** A case that takes longer ends, and its figures are of what was delivered by then. */
const longestMs = 240_000;
/** Whatever a measurement lasts. */
const burst = { webhooks: 300, hanging: 0, events: 16 };
/** `events`: how many in measurements of three seconds. */
const cases = [
  { webhooks: 300, hanging: 0, events: 256 },
  { webhooks: 1, hanging: 0, events: 20_000 },
  { webhooks: 300, hanging: 100, events: 256 },
];
type Case = (typeof cases)[number];

export async function run(context: BenchContext): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const members of [1, 3] as const) {
    const table = `new clients beside ${burst.webhooks} webhooks × ${burst.events} events`;
    const figures = await askBeside(context, members);
    rows.push({ table, what: `a set of ${members}`, figures });
  }
  for (const each of cases) {
    const events = Math.round((each.events * context.seconds) / 3);
    const hang = each.hanging > 0 ? `, of which ${each.hanging} hang` : '';
    const table = `${each.webhooks} webhooks × ${events} events${hang}, 3 members`;
    context.say(`${table} …`);
    rows.push({ table, what: 'this service', figures: await deliver(context, { ...each, events }) });
  }
  return rows;
}

/** The API's p50 for clients that it has not seen: of an idle service, and while a burst is delivered. */
async function askBeside(context: BenchContext, members: 1 | 3): Promise<BenchRow['figures']> {
  const { service, receiver, received, expected, emit } = await prepare(context, members, burst);
  const next = () => ({ headers: newClient() });
  const load = { url: `${service.url}/api/rates/usdc-ngn`, next, rate: 50, connections: 4, seconds: 1 };
  const ask = async () => (await fire(load)).p50Ms;
  const median = (asked: readonly number[]) => medianOf(asked, (each) => each);
  const idle = median([await ask(), await ask(), await ask()]);
  await emit();
  const asked: number[] = [];
  const endsAt = performance.now() + longestMs;
  while (received.all < expected && performance.now() < endsAt) asked.push(await ask());
  if (received.twice > 0) throw new Error(`${received.twice} deliveries were made twice`);
  for (const part of [service, receiver]) await part.stop();
  const beside = median(asked);
  return { 'idle p50': ms(idle), 'p50 beside': ms(beside), 'of the idle one': ratio(beside / idle) };
}

async function deliver(context: BenchContext, each: Case): Promise<BenchRow['figures']> {
  const { mongod, service, receiver, received, expected, emit } = await prepare(context, 3, each);
  await emit();
  const startedAt = performance.now();
  const { spentMs } = await withCpu([service.pid, ...mongod.pids], async () => {
    while (received.all < expected && performance.now() < startedAt + longestMs) await delay(100);
  });
  const tookSeconds = (performance.now() - startedAt) / 1_000;
  const { all, twice } = received;
  if (twice > 0) throw new Error(`${twice} deliveries were made twice`);
  for (const part of [service, receiver]) await part.stop();
  const [ofService = Number.NaN, ...ofMembers] = spentMs;
  return {
    deliveries: perSecond(all / tookSeconds),
    'CPU of the service': ms(ofService / all),
    'of mongod': ms(ofMembers.reduce((sum, each) => sum + each, 0) / all),
  };
}

/** A service with these webhooks, whose backlog begins with `emit`. */
async function prepare(context: BenchContext, members: 1 | 3, { webhooks, hanging, events }: Case) {
  const mongod = await context.startMongo(members);
  const receiver = await context.parts.add('the receiver', startReceiver());
  const { origin, received } = receiver;
  const service = await context.startService(mongod.uri, { LOG_LEVEL: 'error' });
  const subscribers: string[] = [];
  for (let n = 0; n < webhooks; n += 1)
    subscribers.push(await register(service, `${origin}/${n % 3 === 0 && n / 3 < hanging ? 'hang' : n}`));
  const outbox = mongod.client.db().collection<{ _id: string }>('outbox');
  const emit = () => outbox.insertMany(eventsFor(subscribers, events));
  return { mongod, service, receiver, received, expected: (webhooks - hanging) * events, emit };
}

/** Verifies and acknowledges, but never answers `/hang`; counts, and which were delivered twice to one path. */
async function startReceiver() {
  const received = { all: 0, twice: 0 };
  const seen = new Set<string>();
  const server = await listenOnLoopback(async (request, response) => {
    const { url, headers } = request;
    const body = await buffer(request);
    if (url === '/hang') return;
    verifyWebhook({ body, headers, secret });
    const key = `${url} ${headers['webhook-id']}`;
    if (seen.has(key)) received.twice += 1;
    seen.add(key);
    received.all += 1;
    response.end('ok');
  });
  return { ...server, received };
}

async function register(service: BenchService, url: string): Promise<string> {
  const answer = await fetch(`${service.url}/api/admin/webhooks`, {
    method: 'POST',
    headers: { 'x-admin-key': credentials.adminKey, 'content-type': 'application/json', ...newClient() },
    body: JSON.stringify({ url, events: ['intent.settled'], secret }),
  });
  if (answer.status !== 201) throw new Error(`a registration was answered ${answer.status}`);
  return ((await answer.json()) as { id: string }).id;
}

/** As the service writes them, their deliveries not made yet. */
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
