import type { Model } from 'mongoose';
import type { Logger } from '../ports.js';

/** A watch that can be started, stopped, and started again. */
export type ChangeStream = ReturnType<typeof watchChanges>;

export interface ChangeStreamDeps<T> {
  model: Model<T>;
  pipeline: Record<string, unknown>[];
  /**
   * Called when the stream is open: each change from now on is passed to `onChange`. Changes made while it was closed,
   * or while its history was lost, must be found by reading.
   */
  onOpen: () => void;
  onChange: (change: { documentKey?: { _id?: unknown } }) => void;
  logger: Logger;
}

const reopenDelayMs = 1_000;

/** Watches a collection, and opens the stream afresh after each error. */
export function watchChanges<T>(deps: ChangeStreamDeps<T>) {
  const { model, logger } = deps;
  let stream: ReturnType<Model<T>['collection']['watch']> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function open(): void {
    timer = undefined;
    const opened = model.collection.watch(deps.pipeline, { timeoutMS: 0 });
    stream = opened;
    let isOpen = false;
    // The first token comes with the answer to the command that opens the stream; reading earlier would miss changes.
    opened.on('resumeTokenChanged', () => {
      if (isOpen || stream !== opened) return;
      isOpen = true;
      deps.onOpen();
    });
    opened.on('change', (change) => {
      if (stream === opened) deps.onChange(change as Parameters<typeof deps.onChange>[0]);
    });
    opened.on('error', (error: unknown) => reopen(opened, error));
    opened.on('close', () => reopen(opened, undefined));
  }

  function reopen(closed: typeof stream, error: unknown): void {
    if (closed === undefined || closed !== stream) return;
    logger.warn({ err: error, collection: model.collection.name }, 'change stream closed; opening afresh');
    stream = undefined;
    closed.close().catch(() => undefined);
    timer = setTimeout(open, reopenDelayMs);
    timer.unref();
  }

  return {
    start() {
      if (stream === undefined && timer === undefined) open();
    },
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      const closing = stream;
      stream = undefined;
      await closing?.close();
    },
  };
}
