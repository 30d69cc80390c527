/**
 * `npm run test:faults`: three members of a replica set, three instances of the service and everything around them, broken
 * on purpose as a seed says, under load; then what was acknowledged is compared with what is there. Ends with the line
 * `N passed, N failed`. `--help` shows the options; docs/adr/0028-storm-of-faults.md says what it proves.
 */
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compile } from '../lib/compile.js';
import { seeded } from '../lib/random.js';
import { StartedParts } from '../lib/started-parts.js';
import { runProgram } from '../mongod/run-program.js';
import { createChronicle, type Stage } from './actions/stage.js';
import { watchElections } from './cluster/elections.js';
import { startInstances } from './cluster/instances.js';
import { startMembers } from './cluster/members.js';
import { compare } from './compare/index.js';
import { readOptions, type StormOptions, usage } from './options.js';
import { type FaultKind, planFaults } from './plan.rules.js';
import type { Credentials } from './ports.js';
import { failureText, report } from './report.js';
import { runStorm } from './storm.js';
import { createTraffic, startSurroundings } from './traffic/index.js';
import { availability, type Check, oneTickAtATime, type StormSeen, vacuity } from './verdict.rules.js';

const artifacts = fileURLToPath(new URL('../../artifacts/faults', import.meta.url));
const credentials: Credentials = {
  adminKey: 'admin-key-of-the-storm-0123456789',
  cronSecret: 'cron-secret-of-the-storm-0123456789',
};
/** The time for settling and comparing after the storm, in which no new fault begins. */
const afterwardsMs = 120_000;
/** The time beyond the planned minutes to finish what is under way, on a machine with other work. */
const spareMs = 240_000;
/** Processes that take longer to stop are left running. */
const stopWithinMs = 30_000;
/** Until the readers have started and the instances have compiled their code; at most as long as the calm itself. */
const longestWarmUpMs = 15_000;
const clock = Date.now;
const say = (line: string) => console.log(line);

interface Verdict {
  checks: Check[];
  /** Planned kinds of faults that this machine cannot make. */
  leftOut: readonly FaultKind[];
}

async function run(options: StormOptions, parts: StartedParts): Promise<Verdict> {
  const { seed } = options;
  const startedAtMs = clock();
  const folder = await emptyFolder(seed);
  const dataFolder = await mkdtemp(join(tmpdir(), 'fairlead-faults-'));
  await parts.add('the data', { stop: () => rm(dataFolder, { recursive: true, force: true }) });

  const without: FaultKind[] = [];
  const leaveOut = (kind: FaultKind, why: string) => {
    without.push(kind);
    say(`Left out: ${kind}, since ${why}`);
  };
  const compiled = await compiledService(parts, options.server);
  const members = await parts.add('the members', startMembers({ folder, dataFolder }));
  if (!(await runs('prlimit'))) leaveOut('exhaust-files', 'there is no prlimit');
  if (members.smallDisk === undefined) leaveOut('fill-disk', 'the system mounts no file system for a user');
  const plan = planFaults({ ...options, without });
  const watch = await parts.add('the watch of elections', watchElections(members, clock));

  // Each gets its own random source, so that one's use of it does not change the other's numbers.
  const surroundings = await parts.add(
    'the surroundings',
    startSurroundings({ random: seeded(seed + 1), clock, folder }),
  );
  const mongoUri = members.uri('storm');
  const env = { ...asAnOperator, ...surroundings.env, MONGODB_URI: mongoUri };
  const instances = await parts.add(
    'the instances',
    startInstances({ count: options.instances, program: compiled, env, folder, clock }),
  );
  const ledgerFile = join(folder, 'ledger.jsonl');
  const given = { target: instances, surroundings, credentials, clock, ledgerFile };
  const traffic = await createTraffic({ ...given, random: seeded(seed + 2) });
  await parts.add('the traffic', traffic);

  const chronicle = createChronicle(clock, say);
  const calmMs = options.calmSeconds * 1_000;
  traffic.start();
  await delay(Math.min(longestWarmUpMs, calmMs));
  const calm = { fromMs: clock(), toMs: clock() + calmMs };
  await delay(calmMs);
  say(`The storm begins, ${Math.round((clock() - startedAtMs) / 1_000)} s after the start.`);
  const stage: Stage = {
    members,
    instances,
    writesUnderWay: traffic.writesUnderWay,
    clock,
    chronicle,
    cronSecret: credentials.cronSecret,
  };
  const faults: Check[] = [];
  // On a slow machine, repairs and settling may take too long. No slowness explains a wrong comparison.
  const attempt = async (name: string, work: () => Promise<unknown>) => {
    const fault = await work().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    faults.push({ name, faults: fault === undefined ? [] : [fault] });
  };
  const untilMs = startedAtMs + options.minutes * 60_000 - afterwardsMs;
  await attempt('everything that was broken could be mended', () => runStorm(plan, stage, untilMs));
  say(`The storm is over, ${Math.round((clock() - startedAtMs) / 1_000)} s after the start.`);
  await attempt('everything came to rest', () => traffic.settle());
  await traffic.stop();
  await instances.stop();
  say(`All is at rest, ${Math.round((clock() - startedAtMs) / 1_000)} s after the start.`);
  let compared: Readonly<Record<string, number>> = {};
  await attempt('the comparison could be made', async () => {
    const comparison = await compare({ mongoUri, ledgerFile, surroundings });
    compared = comparison.compared;
    const found = comparison.findings.map(({ of, id, what }) => `${of} ${id}: ${what}`);
    faults.push({ name: 'nothing acknowledged was lost, doubled or changed', faults: found });
    const none = Object.entries(compared).flatMap(([name, count]) => (count === 0 ? [`No ${name}.`] : []));
    faults.push({ name: 'there was something of each kind to compare', faults: none });
  });
  faults.push({ name: 'the traffic met nothing that it cannot meet', faults: traffic.refusals() });

  const seen: StormSeen = {
    asked: options,
    planned: Object.values(plan).flat(),
    answers: traffic.answers(),
    kills: chronicle.kills,
    ticks: chronicle.ticks,
    failedTicks: chronicle.failedTicks,
    electedAtMs: watch
      .elections()
      .map(({ atMs }) => atMs)
      .slice(1),
    done: chronicle.done,
    calm,
    freezes: chronicle.freezes,
    stops: chronicle.stops,
    broken: instances.broken().map((one) => ({ ...one, toMs: one.toMs ?? clock() })),
  };
  const checks = [...vacuity(seen), ...availability(seen), oneTickAtATime(seen), ...faults];
  say(`\n${report(seen, chronicle, { ...traffic.counts(), ...compared })}\n`);
  await writeFile(
    join(folder, 'answers.jsonl'),
    seen.answers.map((one) => `${JSON.stringify(one)}\n`).join(''),
  );
  await writeFile(join(folder, 'storm.json'), JSON.stringify({ options, plan, chronicle, checks }, null, 2));
  for (const check of checks) {
    say(check.faults.length === 0 ? `passed  ${check.name}` : failureText(check, seed, chronicle.events));
  }
  if (checks.some((check) => check.faults.length > 0)) {
    say(`Logs of the instances and members, the ledger and every answer are in ${folder}`);
  } else await rm(folder, { recursive: true, force: true });
  return { checks, leftOut: without };
}

/** Creates the run's folder; that of an earlier failed run with this seed is kept beside it. */
async function emptyFolder(seed: number): Promise<string> {
  const folder = join(artifacts, String(seed));
  await rm(`${folder}-before`, { recursive: true, force: true });
  await rename(folder, `${folder}-before`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await mkdir(folder, { recursive: true });
  return folder;
}

/** The settings of docs/operations.md, on loopback. */
const asAnOperator = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  ADMIN_SECRET_KEY: credentials.adminKey,
  CRON_SECRET: credentials.cronSecret,
  SCHEDULER: 'on',
  OBSERVER: 'on',
  OBSERVER_INTERVAL_SECONDS: '60',
  LOG_LEVEL: 'warn',
  // No balancer has to notice.
  DRAIN_SECONDS: '1',
};

async function compiledService(parts: StartedParts, root: string | undefined): Promise<string> {
  const compiled = await compile({ name: 'faults', ...(root === undefined ? {} : { root }) });
  await parts.add('the compiled service', { stop: compiled.remove });
  return compiled.fileOf('server/main');
}

async function runs(program: string): Promise<boolean> {
  return (await runProgram(program, ['--version'], { timeoutMs: 5_000 })).failure === '';
}

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return say(usage);
  let options: StormOptions;
  try {
    options = readOptions(process.argv.slice(2));
    if (process.platform !== 'linux') throw new Error('The storm needs Linux: it reads /proc.');
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    process.exitCode = 2;
    return;
  }
  say(`The storm of seed ${options.seed}: the same faults again with --seed ${options.seed}`);
  const parts = new StartedParts(say);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void parts.stop().then(() => process.exit(1)));
  }
  const limitMs = options.minutes * 60_000 + spareMs;
  const deadline = setTimeout(() => {
    say(
      `FAILED  the storm itself (--seed ${options.seed}): it was not over after ${limitMs / 60_000} minutes`,
    );
    say('0 passed, 1 failed');
    void Promise.race([parts.stop(), delay(stopWithinMs)]).then(() => process.exit(1));
  }, limitMs);
  let verdict: Verdict;
  try {
    verdict = await run(options, parts);
  } catch (error) {
    say(
      `FAILED  the storm itself (--seed ${options.seed}): ${error instanceof Error ? error.stack : String(error)}`,
    );
    verdict = { checks: [{ name: 'the storm itself', faults: [String(error)] }], leftOut: [] };
  } finally {
    clearTimeout(deadline);
    await parts.stop();
  }
  const { checks, leftOut } = verdict;
  const failed = checks.filter(({ faults }) => faults.length > 0);
  const skipped = leftOut.length > 0 ? `, ${leftOut.length} skipped` : '';
  say(`${checks.length - failed.length} passed, ${failed.length} failed${skipped}`);
  process.exit(failed.length === 0 ? 0 : 1);
}

await main();
