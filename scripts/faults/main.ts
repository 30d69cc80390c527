import { randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compile } from '../lib/compile.js';
import { startInstances } from '../lib/instances.js';
import { readOptions } from '../lib/local-service.js';
import { seeded } from '../lib/random.js';
import { StartedParts } from '../lib/started-parts.js';
import { startMembers } from '../mongod/members.js';
import { type Check, compare, settle } from './checks.js';
import { faultNames, faults, faultsInOrder } from './faults.js';
import { createServiceClient } from './service-client.js';
import { startSurroundings } from './surroundings.js';
import { createTraffic } from './traffic.js';

const help = `npm run test:faults -- [--seed number] [--minutes 5]

Three members of MongoDB and three instances of the service under load, which are killed, frozen and restarted for so
many minutes, in an order that the seed decides. Afterwards everything that the service acknowledged is compared with what
it has. Ends with "N passed, N failed". The faults: ${faultNames.join(', ')}.`;

const instanceCount = 3;
const warmUpMs = 10_000;
/** An off-ramp begun last needs its payment, an anchor that recovers (36 s), a poll and a delivery tried again. */
const restMs = 150_000;
const betweenFaultsMs = 3_000;
const say = (line: string) => console.log(line);

async function storm(seed: number, minutes: number, parts: StartedParts): Promise<Check[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-storm-'));
  await parts.add('the folder', { stop: () => rm(folder, { recursive: true, force: true }) });
  const compiled = await compile({ name: 'storm' });
  await parts.add('the compiled service', { stop: compiled.remove });
  const members = await parts.add('the members', startMembers(folder));
  const surroundings = await startSurroundings(parts, { random: seeded(seed + 1), folder });
  const env = { ...surroundings.env, MONGODB_URI: members.uri };
  const program = compiled.fileOf('server/main');
  const starting = startInstances({ count: instanceCount, program, env, folder });
  const instances = await parts.add('the instances', starting);
  const urls = instances.all.map(({ url }) => url);

  const over = new AbortController();
  // Every request and every pause of the traffic listens to it.
  setMaxListeners(0, over.signal);
  const noMore = new AbortController();
  await parts.add('the traffic', { stop: async () => over.abort() });
  const client = createServiceClient({ urls, random: seeded(seed + 2), signal: over.signal });
  const traffic = createTraffic({ client, surroundings, random: seeded(seed + 3), signal: over.signal });
  const running = traffic.run(noMore.signal);
  running.catch(() => undefined);
  await delay(warmUpMs);

  const uncleanStops: string[] = [];
  const stage = {
    members,
    instances: instances.all,
    random: seeded(seed + 4),
    tickEverywhere: () => traffic.tickEverywhere(urls),
    uncleanStops,
  };
  const endsAtMs = Date.now() + minutes * 60_000;
  for (const name of faultsInOrder(seeded(seed))) {
    if (Date.now() > endsAtMs) break;
    say(`${new Date().toISOString()} ${name}`);
    await faults[name](stage);
    await members.untilWhole();
    await delay(betweenFaultsMs);
  }
  surroundings.calm();
  noMore.abort();
  const restBy = Date.now() + restMs;
  const rest = await Promise.race([
    running.then(() => settle(client, traffic.acknowledged, restBy)),
    delay(restMs + 10_000).then(() => ({
      name: 'everything comes to rest',
      faults: ['The traffic did not end.'],
    })),
  ]);
  const { intents, paid, disputes } = traffic.acknowledged;
  const { length } = surroundings.deliveries;
  say(`${intents.size} intents, ${paid.size} paid, ${disputes.size} disputes, ${length} deliveries.`);
  return [
    rest,
    { name: 'instances stop cleanly', faults: uncleanStops },
    ...(await compare({ client, acknowledged: traffic.acknowledged, surroundings })),
    {
      name: 'enough happened to be compared',
      faults: paid.size < 10 ? [`Only ${paid.size} intents were paid.`] : [],
    },
  ];
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = readOptions(help, { seed: text, minutes: text });
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  say(`The storm of seed ${seed}`);
  const parts = new StartedParts(say);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void parts.stop().then(() => process.exit(1)));
  let checks: Check[];
  try {
    checks = await storm(seed, Number(values.minutes ?? 5), parts);
  } catch (error) {
    checks = [
      { name: 'the storm itself', faults: [error instanceof Error ? String(error.stack) : String(error)] },
    ];
  }
  await parts.stop();
  for (const { name, faults } of checks) {
    say(`${faults.length === 0 ? 'passed' : 'FAILED'}  ${name}`);
    for (const fault of faults.slice(0, 10)) say(`        ${fault}`);
    if (faults.length > 10) say(`        and ${faults.length - 10} more`);
  }
  const failed = checks.filter(({ faults }) => faults.length > 0).length;
  say(`${checks.length - failed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

await main();
