/**
 * A process of its own that reconciles once, or brings every record to its intent as callbacks do (no lease), and ends:
 * 0 with what it did on standard output, 4 on an error. Before the command that `strike` names, by number counted from
 * the start of the job or by name, it sends itself the signal.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { connectMongo } from '../../../server/mongo/connection.js';
import { openIntents } from './intents.js';

export interface Task {
  uri: string;
  /** The anchor's. */
  origin: string;
  job: 'reconcile' | 'callbacks';
  leaseTtlMs: number;
  /** Epoch ms at which the job begins, so that several processes begin together; at once where it is past. */
  beginAtMs: number;
  strike: { at: number | string; signal: 'SIGKILL' | 'SIGSTOP' } | null;
}

async function run(task: Task): Promise<unknown> {
  const connection = await connectMongo({ uri: `${task.uri}&monitorCommands=true` });
  const owner = randomBytes(4).toString('hex');
  const intents = openIntents(connection, { origin: task.origin, owner, leaseTtlMs: task.leaseTtlMs });
  await delay(Math.max(0, task.beginAtMs - Date.now()));
  let sent = 0;
  connection.getClient().on('commandStarted', ({ commandName }) => {
    sent += 1;
    if (task.strike !== null && (task.strike.at === sent || task.strike.at === commandName)) {
      const { signal } = task.strike;
      task.strike = null;
      process.kill(process.pid, signal);
    }
  });
  try {
    return task.job === 'reconcile' ? await intents.reconcile.run() : await intents.bringAll();
  } finally {
    await connection.close();
    await intents.close();
  }
}

run(JSON.parse(process.argv[2] ?? '') as Task).then(
  (done) => {
    process.stdout.write(`${JSON.stringify(done)}\n`);
    process.exit(0);
  },
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(4);
  },
);
