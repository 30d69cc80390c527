import { setTimeout as delay } from 'node:timers/promises';
import { type BenchContext, type BenchRow, benchAdminKey, type ServiceProcess } from './lib/bench.js';
import { median, microseconds, ms, percent, significant } from './lib/figures.js';
import type { Program } from './lib/program.js';
import type { OpenQuestion, ReadersState } from './streams/readers.js';

/** The goal of the project; BENCH_STREAMS asks for fewer, as a machine with few descriptors has to. */
const readers = Number(process.env.BENCH_STREAMS ?? 10_000);
const perClient = 20;
const changes = 10;
const idleSeconds = 20;
const path = '/api/rates/usdc-ngn/stream';

/** As many streams of rates in one process as the goal names, each of which receives every change. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongod = await context.startMongo();
  const anchors = await context.startAnchors();
  const service = await context.startService({
    ...anchors.env,
    MONGODB_URI: mongod.uri,
    // The addresses of loopback are the clients.
    TRUST_PROXY: '',
    MAX_CONNECTIONS: String(Math.ceil(readers / 0.9) + 100),
    MAX_STREAMS: String(readers),
  });
  const program = await context.startProgram('scripts/bench/streams/readers');
  await program.ready();
  const { hostname: host, port } = new URL(service.url);
  const question: OpenQuestion = { host, port: Number(port), path, readers: 1, perClient };
  await program.ask('open', question);
  const before = await service.memory();
  const cpuBeforeMs = await service.cpuMs();
  context.say(`opening ${readers} streams …`);
  await program.ask('open', { ...question, readers });
  const openedMs = (await service.cpuMs()) - cpuBeforeMs;
  await allHaveTheSame(program);
  const after = await service.memory();
  const opened = readers - 1;
  const idle = await idleShare(service);
  await allHaveTheSame(program);
  await program.ask('forget');
  const told = await tellChanges(context, service, program);
  const state = await stateOf(program);
  if (state.courses !== 1)
    throw new Error(`the readers got ${state.courses} different sequences of answers: some missed a change`);
  if (state.open !== readers)
    throw new Error(`${readers - state.open} streams ended: ${state.faults.join(', ')}`);
  const loaded = await service.memory();
  const row = (what: string, figures: BenchRow['figures']): BenchRow => ({
    table: `${significant(readers)} streams of rates in one process, of ${significant(Math.ceil(readers / perClient))} clients`,
    what,
    figures,
  });
  return [
    row('memory (RSS) for each, open', { figure: kilobytes((after.rssBytes - before.rssBytes) / opened) }),
    row('memory (heap and buffers) for each, open', {
      figure: kilobytes((after.heapBytes - before.heapBytes) / opened),
    }),
    row(`memory (RSS) for each, after ${changes} changes`, {
      figure: kilobytes((loaded.rssBytes - before.rssBytes) / opened),
    }),
    row('processor time to open one', { figure: microseconds((openedMs * 1_000) / opened) }),
    row(`processor, ${idleSeconds} s with heartbeats and the usual refresh`, { figure: percent(idle) }),
    row('processor time for each and change', {
      figure: microseconds(median(told.map(({ cpuMs }) => (cpuMs * 1_000) / readers))),
    }),
    row('from the change until the last reader has it', {
      figure: ms(median(told.map(({ tookMs }) => tookMs))),
    }),
    row('changes that each reader got', { figure: `${state.fewest} of ${state.most}` }),
  ];
}

function kilobytes(bytes: number): string {
  return `${significant(bytes / 1_000)} kB`;
}

async function stateOf(program: Program): Promise<ReadersState> {
  return (await program.ask('state')) as ReadersState;
}

/** Answers also change by themselves, every 15 s, so readers that started earlier have received more of them. */
async function allHaveTheSame(program: Program): Promise<void> {
  for (;;) {
    const { lastAnswers } = await stateOf(program);
    if (lastAnswers === 1) return;
    await delay(100);
  }
}

async function idleShare(service: ServiceProcess): Promise<number> {
  const before = await service.cpuMs();
  await delay(idleSeconds * 1_000);
  return ((await service.cpuMs()) - before) / (idleSeconds * 1_000);
}

/** Has the operator invalidate the rates, so that they are requested at once, and waits for every reader's answer. */
async function tellChanges({ say }: BenchContext, service: ServiceProcess, program: Program) {
  const told: { cpuMs: number; tookMs: number }[] = [];
  for (let change = 0; change < changes; change += 1) {
    await allHaveTheSame(program);
    const { most, fewest, open } = await stateOf(program);
    say(`change ${change + 1} of ${changes}: ${open} open, ${fewest} to ${most} answers each`);
    const cpuBefore = await service.cpuMs();
    const startedAt = Date.now();
    const sum = (await program.ask('answers')) as number;
    const arrived = program.ask('await', sum + readers);
    const { status } = await fetch(`${service.url}/api/admin/cache/invalidate`, {
      method: 'POST',
      headers: { 'x-admin-key': benchAdminKey, 'content-type': 'application/json' },
      body: JSON.stringify({ scope: 'rates' }),
    });
    if (status !== 200) throw new Error(`the invalidation was answered with ${status}`);
    const at = (await arrived) as number;
    told.push({ cpuMs: (await service.cpuMs()) - cpuBefore, tookMs: at - startedAt });
  }
  return told;
}
