import { answerQuestion } from './answer-questions.js';

/** Loaded before a program of a bench (`--import`): tells memory and processor time when it is asked to. */
export interface ProbeReading {
  /** Bytes that are still reachable, after a full collection. */
  heapBytes: number;
  rssBytes: number;
  /** Of all threads, since the start. */
  cpuMs: number;
}

export const probeQuestion = 'probe';

answerQuestion(probeQuestion, (): ProbeReading => {
  const { user, system } = process.cpuUsage();
  const collect = globalThis.gc;
  // Twice: the first collection may only make finalizers due, which hold more.
  collect?.();
  collect?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapBytes: heapUsed, rssBytes: rss, cpuMs: (user + system) / 1_000 };
});
// Whoever started the program is gone: nothing runs on without it.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
