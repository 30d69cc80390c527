/**
 * A process of its own that delivers events, or causes them, until it is ended. Where `strikeAt` is given it sends
 * itself the signal at that step, counted over everything that leaves the process or comes back: each command to the
 * database, each POST as it begins and as it ends.
 */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { createWebhooks, type WebhookLimits } from '../../../server/features/webhooks/feature.js';
import { createWriteEvent } from '../../../server/features/webhooks/outbox.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { createOutbound } from '../../../server/outbound/outbound.js';
import type { Logger } from '../../../server/ports.js';

export interface Task {
  uri: string;
  job: 'deliver' | 'cause';
  /** The receiver's. */
  origin: string;
  changeStreams: boolean;
  limits: Partial<WebhookLimits>;
  strikeAt: number | null;
  signal: 'SIGKILL' | 'SIGSTOP';
}

/** What a cause leaves behind, in the transaction of its event. */
export interface Cause {
  _id: string;
  /** Epoch milliseconds before its transaction began. */
  beganAtMs: number;
  eventIds: string[];
}

const writersAtOnce = 4;
/** As many as a fleet of many new anchors: all of them are there or none. */
export const eventsACause = 5;
/** Written before it stops itself, for who is to wake it. */
export const pauseMark = 'pausing\n';

async function run(task: Task): Promise<void> {
  let steps = 0;
  const step = () => {
    steps += 1;
    if (steps !== task.strikeAt) return;
    if (task.signal === 'SIGSTOP') writeSync(2, pauseMark);
    process.kill(process.pid, task.signal);
  };
  const connection = await connectMongo({ uri: `${task.uri}&monitorCommands=true` });
  connection.getClient().on('commandStarted', step);
  const newId = () => randomBytes(16).toString('hex');

  if (task.job === 'cause') {
    const writeEvent = createWriteEvent({ connection, clock: Date.now, newId });
    const inTransaction = createInTransaction(connection);
    const causes = connection.collection<Cause>('causes');
    const write = async () => {
      for (;;) {
        const beganAtMs = Date.now();
        await inTransaction(async (session) => {
          const eventIds: string[] = [];
          for (let sequence = 1; sequence <= eventsACause; sequence += 1) {
            const data = { sequence, root: newId() + newId(), headerHash: newId() + newId(), size: 1 };
            eventIds.push(await writeEvent(session, 'publisher.tick', { ...data, submitted: true }));
          }
          await causes.insertOne({ _id: newId(), beganAtMs, eventIds }, { session });
        });
      }
    };
    await Promise.all(Array.from({ length: writersAtOnce }, write));
    return;
  }

  const outbound = createOutbound({ allow: [task.origin] });
  const webhooks = createWebhooks({
    connection,
    outbound: async (request) => {
      step();
      try {
        return await outbound.request(request);
      } finally {
        step();
      }
    },
    outboundAllow: [task.origin],
    webhookKey: undefined,
    meter: { attempted: () => undefined, settled: () => undefined },
    clock: Date.now,
    random: Math.random,
    newId,
    logger: stderrLogger,
    limits: task.limits,
    changeStreams: task.changeStreams,
  });
  webhooks.start();
}

const write = (level: string) => (fields: object, message: string) =>
  process.stderr.write(`${level} ${message} ${'err' in fields ? String(fields.err) : ''}\n`);

const stderrLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: write('error'),
  child: () => stderrLogger,
};

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(4);
}

if (process.argv[2] !== undefined) run(JSON.parse(process.argv[2]) as Task).catch(fail);
