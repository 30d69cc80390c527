import { randomBytes } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { composeService } from './compose.js';
import { type Config, httpOrigin, readConfig } from './config.js';
import { OperatorError } from './errors.js';
import { parseFleet } from './features/anchors/fleet-file.rules.js';
import { listen } from './http/listen.js';
import { createLifecycle, type Lifecycle } from './lifecycle.js';
import { neverWaitFor, openLog } from './logger.js';
import { connectMongo, createPatience } from './mongo/connection.js';
import type { NewId, World } from './ports.js';
import { endBy, isMain, stopSignals } from './process.js';

export type RunningService = Awaited<ReturnType<typeof startService>>;

const shutdownGraceMs = 10_000;
/** Few scrapers connect to an instance. */
const metricsConnections = 16;
const logFlushMs = 2_000;
const idDigits = 32;
const standardOutput = 1;
const standardError = 2;

/** Takes its digits from a supply: to ask for a UUID for each request takes four times as long. */
function createNewId(): NewId {
  let supply = '';
  let used = 0;
  return () => {
    if (used === supply.length) {
      supply = randomBytes(4_096).toString('hex');
      used = 0;
    }
    used += idDigits;
    return supply.slice(used - idDigits, used);
  };
}

export function realWorld(config: Config): World {
  const { logger, output } = openLog({ level: config.logLevel, fd: standardOutput });
  return {
    clock: Date.now,
    // A process that stops does not wait for what is left of a pause.
    pause: (ms) => delay(ms, undefined, { ref: false }),
    random: Math.random,
    newId: createNewId(),
    logger,
    logOutput: output,
    env: process.env,
    // The build of the service keeps it at the same place beside the compiled server.
    pageFolder: new URL('../web/dist/', import.meta.url),
  };
}

/** Reads the fleet, connects to the database and composes the service, which then does nothing yet. */
export async function openService(config: Config, world: World, lifecycle: Lifecycle) {
  const fleet = parseFleet(readFileSync(config.fleetFile, 'utf8'));
  const patiently = createPatience(world);
  const connection = await patiently(() => connectMongo({ uri: config.mongodbUri }));
  lifecycle.onStop('database connection', () => connection.close());
  const service = composeService({ config, fleet, connection, world, lifecycle });
  return { service, connection, patiently };
}

/** Opens the service, boots, starts the background work, listens. Throws when one of these cannot be done. */
export async function startService(config: Config, world: World = realWorld(config)) {
  const { logger, newId } = world;
  const lifecycle = createLifecycle({ logger });
  try {
    const { service, connection, patiently } = await openService(config, world, lifecycle);
    // Every step of the boot may be repeated.
    await patiently(service.boot);
    service.start();
    const { host, port, maxConnections } = config;
    const shared = { host, meter: service.connectionMeter, newId };
    const served = service.responseCache.before(service.app);
    const options = { ...shared, port, maxConnections, messageClasses: service.messageClasses };
    const listener = await listen(served, options);
    lifecycle.onStop('listener', () => listener.stop(shutdownGraceMs));
    // Streams stop before the listener, which waits for open requests: a stream is a request without end.
    lifecycle.onStop('streams', service.stopStreams);
    const url = httpOrigin(host, listener.port);
    /** Where the metrics are, if they have a port of their own. */
    let metricsUrl: string | undefined;
    if (service.metricsApp !== undefined && config.metricsPort !== undefined) {
      const ofMetrics = { ...shared, port: config.metricsPort, maxConnections: metricsConnections };
      const own = await listen(service.metricsApp, ofMetrics);
      lifecycle.onStop('listener of the metrics', () => own.stop(shutdownGraceMs));
      metricsUrl = httpOrigin(host, own.port);
    }
    for (const notice of config.notices) logger.warn({}, notice);
    logger.info({ url, metricsUrl, mode: config.mode, scheduler: config.scheduler }, 'listening');
    /** Reports that it is not ready but still serves requests, for DRAIN_SECONDS. */
    const drain = async () => {
      service.announceStop();
      listener.drain();
      await delay(config.drainSeconds * 1_000);
    };
    return { port: listener.port, url, metricsUrl, service, connection, drain, stop: lifecycle.stop };
  } catch (error) {
    // The caller gets the error of the start; errors of the stop are in the log.
    await lifecycle.stop().catch(() => undefined);
    throw error;
  }
}

async function run(): Promise<void> {
  // Also standard error, to which Node itself writes warnings and the last error.
  for (const fd of [standardOutput, standardError]) neverWaitFor(fd);
  const config = readConfig(process.env);
  const world = realWorld(config);
  const exit = async (code: number): Promise<never> => {
    await world.logOutput.flush(logFlushMs);
    process.exit(code);
  };
  const endAtOnce = async (signal: NodeJS.Signals): Promise<never> => {
    world.logger.info({ signal }, 'ended before it was up');
    await world.logOutput.flush(logFlushMs);
    return endBy(signal);
  };
  // A start may take as long as MongoDB builds an index, and there are no open requests that have to finish.
  for (const signal of stopSignals) process.once(signal, endAtOnce);
  const running = await startService(config, world).catch(async (error: unknown) => {
    sayWhy(error);
    return exit(1);
  });
  const stop = async (signal: NodeJS.Signals): Promise<never> => {
    world.logger.info({ signal, drainSeconds: config.drainSeconds }, 'stopping');
    try {
      await running.drain();
      await running.stop();
    } catch (error) {
      world.logger.error({ err: error }, 'did not stop cleanly');
      return exit(1);
    }
    return exit(0);
  };
  for (const signal of stopSignals) {
    process.off(signal, endAtOnce);
    // A second signal ends the process, because its sender does not want to wait.
    process.once(signal, stop);
  }
}

/** Writes the error to standard error; if that fails, the exit code has to do. */
function sayWhy(error: unknown): void {
  try {
    writeSync(standardError, `${error instanceof OperatorError ? error.message : String(error)}\n`);
  } catch {}
}

if (isMain(import.meta.url)) {
  run().catch((error: unknown) => {
    sayWhy(error);
    process.exit(1);
  });
}
