/** Answers questions about a bench's program; loaded before it (`--import`). */
import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { queryObjects } from 'node:v8';
import { answerQuestion } from './answer-questions.js';
import {
  cpuQuestion,
  type MemoryReading,
  memoryQuestion,
  type ObjectsReading,
  objectsQuestion,
  type ResourcesReading,
  resourcesQuestion,
} from './probe-questions.js';

let listenerWarnings = 0;
process.on('warning', ({ name }) => {
  if (name === 'MaxListenersExceededWarning') listenerWarnings += 1;
});

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
answerQuestion(resourcesQuestion, (): ResourcesReading => {
  const active: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) active[kind] = (active[kind] ?? 0) + 1;
  const events = process.eventNames();
  const listeners = events.reduce((sum, event) => sum + process.listenerCount(event), 0);
  return { active, listeners, listenerWarnings };
});
answerQuestion(objectsQuestion, (): ObjectsReading => {
  const timer = setTimeout(() => undefined, 0);
  clearTimeout(timer);
  const count = (kind: unknown) => queryObjects(kind as new () => unknown, { format: 'count' });
  return {
    emitters: count(EventEmitter),
    abortSignals: count(AbortSignal),
    timers: count(timer.constructor),
    sockets: count(Socket),
    promises: count(Promise),
  };
});
// The process that started the program is gone: the program must not run on without it.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
