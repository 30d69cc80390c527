import type { Model } from 'mongoose';
import type { Logger } from '../ports.js';

/** A change stream that only wakes a worker, which finds its work by state: a missed wake-up costs time, not work. */
export interface Waker {
  start(): void;
  stop(): Promise<void>;
}

const reopenDelayMs = 1_000;

/**
 * Calls `wake` on every change that matches `pipeline`, and once each time the stream opens, so that the worker finds
 * what changed while the stream was closed or its history was lost.
 */
export function createWaker<T>(deps: {
  model: Model<T>;
  pipeline: Record<string, unknown>[];
  wake: () => void;
  logger: Logger;
}): Waker {
  let stopped = false;
  let stream: ReturnType<Model<T>['collection']['watch']> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function open(): void {
    if (stopped) return;
    stream = deps.model.collection.watch(deps.pipeline, { timeoutMS: 0 });
    stream.on('change', () => deps.wake());
    stream.on('error', (error: unknown) => reopen(error));
    stream.on('close', () => reopen(undefined));
    deps.wake();
  }

  function reopen(error: unknown): void {
    if (stopped || timer !== undefined) return;
    deps.logger.warn(
      { err: error, collection: deps.model.collection.name },
      'change stream closed; opening afresh',
    );
    stream?.close().catch(() => undefined);
    timer = setTimeout(() => {
      timer = undefined;
      open();
    }, reopenDelayMs);
    timer.unref();
  }

  return {
    start: open,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await stream?.close();
    },
  };
}
