import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createGuard } from '../../../server/limits/guard.js';
import { silentLogger } from '../../support/silent-logger.js';

const timeoutMs = 50;
/** How many answers the other thread has written. Written bytes have arrived at a socket of the same machine. */
const answers = new Int32Array(new SharedArrayBuffer(4));
const answering = `
  const { createServer } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const answers = new Int32Array(workerData);
  const server = createServer((socket) => {
    socket.on('data', () => socket.write('answer', () => {
      Atomics.add(answers, 0, 1);
      Atomics.notify(answers, 0);
    }));
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
let database: Worker;

beforeAll(() => {
  database = new Worker(answering, { eval: true, workerData: answers.buffer });
});
afterAll(() => database.terminate());

function beBusyUntil(time: number): void {
  while (performance.now() < time);
}

it('a process that was busy while its draw was answered takes the answer, and does not count by itself', async () => {
  const [port] = (await once(database, 'message')) as [number];
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const guard = createGuard({
    timeoutMs: () => timeoutMs,
    stopwatch: () => performance.now(),
    logger: silentLogger,
  });
  for (let round = 0; round < 5; round += 1) {
    let asked: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const draw = guard.run(async () => {
      const received = once(socket, 'data');
      socket.write('draw');
      asked();
      const [answer] = await received;
      return String(answer);
    });
    // From here until the answer has arrived and the time is up, this thread does not return to its event loop.
    await begun;
    const startedAt = performance.now();
    Atomics.wait(answers, 0, round);
    beBusyUntil(startedAt + 2 * timeoutMs);
    expect(await draw).toBe('answer');
    expect(guard.isFailing()).toBe(false);
  }
  socket.destroy();
});
