import querystring from 'node:querystring';
import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, Mongoose } from 'mongoose';
import type { Clock, Logger } from '../ports.js';
import { isMongoUnavailable } from './failures.js';
import { whyUnreachable } from './unreachable.rules.js';

/** The time limits of every database operation; a stopped primary must not hang its callers. */
const operationTimeoutMs = 2_000;
const selectionTimeoutMs = 1_500;
/** Shorter parts of the credentials are not redacted, because they occur in any text by chance. */
const minSecretLength = 4;

async function open(uri: string): Promise<Connection> {
  const mongoose = new Mongoose();
  // `true` would drop unknown fields from a filter and so match everything.
  mongoose.set('strictQuery', 'throw');
  return mongoose
    .createConnection(uri, {
      timeoutMS: operationTimeoutMs,
      serverSelectionTimeoutMS: selectionTimeoutMs,
      connectTimeoutMS: selectionTimeoutMs,
      // A primary that comes back is noticed by the next heartbeat; the driver's 10 s would prolong every outage.
      heartbeatFrequencyMS: 1_000,
      // Pushed changes would arrive a second earlier at most. But the driver then measures the network by separate
      // connections, and stops for good if one cannot be opened (NODE-7859): the last value, measured in the middle of
      // a fault, would be subtracted from the time of every operation from then on.
      serverMonitoringMode: 'poll',
      // No read returns what a new primary may roll back. What has just refused a write is therefore read by
      // `findCurrent`, and for a moment after an election a read may miss what was acknowledged before it.
      readConcern: { level: 'majority' },
      writeConcern: { w: 'majority' },
      retryWrites: true,
      bufferCommands: false,
      autoCreate: false,
      autoIndex: false,
      maxPoolSize: 50,
      appName: 'fairlead',
    })
    .asPromise();
}

/** Whether the database answers now; for the readiness of this instance. */
export async function answersPing(connection: Connection): Promise<boolean> {
  await connection.db?.admin().ping();
  return connection.readyState === 1;
}

const patienceMs = 60_000;
const retryMs = 1_000;
const sayAgainMs = 10_000;

/**
 * Retries work until it succeeds, for a minute at most in all, because the database may start at the same time as the
 * service, or lose its primary meanwhile; says every ten seconds why it waits. Work that ran for longer than that, such as
 * the build of an index, had its database: the minute begins again after it.
 */
export function createPatience(deps: { clock?: Clock; logger: Logger }) {
  const { clock = () => performance.now(), logger } = deps;
  let givingUpAt = clock() + patienceMs;
  let sayingAt = clock();
  return async <T>(work: () => Promise<T>): Promise<T> => {
    for (let begunAt = clock(); ; begunAt = clock()) {
      try {
        return await work();
      } catch (error) {
        const now = clock();
        if (now - begunAt > patienceMs) givingUpAt = now + patienceMs;
        if (!isMongoUnavailable(error) || now > givingUpAt) throw error;
        if (now >= sayingAt) {
          logger.warn({}, `waiting for the database: ${error instanceof Error ? error.message : error}`);
          sayingAt = now + sayAgainMs;
        }
        await delay(retryMs);
      }
    }
  };
}

/**
 * Opens the one client of the process. `uri` names the database. An error says what is wrong with it and what to do, and
 * does not quote the password.
 */
export async function connectMongo({ uri }: { uri: string }): Promise<Connection> {
  try {
    return await open(uri);
  } catch (error) {
    if (isMongoUnavailable(error)) throw new Error(whyUnreachable(error, uri), { cause: error });
    // The driver quotes an address that it cannot parse, or the part that it takes for the user name, decoded or not.
    const [, credentials = ''] = /\/\/(.*)@/.exec(uri) ?? [];
    const shown = credentials
      .split(/[:@/]/)
      .filter(({ length }) => length >= minSecretLength)
      .flatMap((part) => [part, querystring.unescape(part)])
      .reduce((text, part) => text.replaceAll(part, '[redacted]'), String(error));
    throw new Error(`MONGODB_URI cannot be used: ${shown}`);
  }
}
