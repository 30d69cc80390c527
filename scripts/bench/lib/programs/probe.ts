import { answerQuestion } from './answer-questions.js';

/** What a program of a bench tells of itself; loaded before it (`--import`). */
export interface MemoryReading {
  /** Bytes still reachable after a full collection, those of Buffers included. */
  heapBytes: number;
  rssBytes: number;
}

export const cpuQuestion = 'cpu';
export const memoryQuestion = 'memory';

answerQuestion(cpuQuestion, () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
});
answerQuestion(memoryQuestion, (): MemoryReading => {
  const collect = globalThis.gc;
  // Twice: the first collection may only make finalizers due, which hold more.
  collect?.();
  collect?.();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return { heapBytes: heapUsed + arrayBuffers, rssBytes: rss };
});
// Whoever started the program is gone: nothing runs on without it.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
