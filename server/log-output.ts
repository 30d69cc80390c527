import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import sonicBoom from 'sonic-boom';
import { createLogger } from './logger.js';
import type { Logger, LogOutput } from './ports.js';
import { withTimeout } from './timing.js';

/** The most bytes that may wait to be written: some four thousand lines. */
const defaultMaxWaitingBytes = 1_048_576;
const retryMs = 1_000;

/**
 * A logger that writes to a descriptor and never waits for it. What cannot be written at once waits in a bounded
 * buffer; beyond that, lines are dropped and counted. A write that fails (a full disk, a pipe without a reader) is tried
 * again every second, for as long as the process runs.
 */
export function openLog(options: { level: string; fd: number; maxWaitingBytes?: number }): {
  logger: Logger;
  output: LogOutput;
} {
  const { level, fd, maxWaitingBytes = defaultMaxWaitingBytes } = options;
  // Not pino's own destination: that one blocks when the process ends, and is silent for good after an EPIPE.
  const stream = new sonicBoom.SonicBoom({ fd, sync: false, maxLength: maxWaitingBytes });
  const logger = createLogger({ level, destination: stream });
  let dropped = 0;
  let droppedBefore = 0;
  let failing = false;
  let retries = false;

  stream.on('drop', () => {
    dropped += 1;
    failing = true;
  });
  stream.on('error', () => {
    failing = true;
    if (retries) return;
    retries = true;
    setTimeout(() => {
      retries = false;
      // Writes the waiting lines. A full buffer takes no line, and without a line nothing would try again.
      stream.write('');
    }, retryMs).unref();
  });
  // Everything that waited has been written.
  stream.on('drain', () => {
    if (!failing) return;
    failing = false;
    if (dropped === droppedBefore) return;
    logger.warn(
      { lines: dropped - droppedBefore },
      'log lines were dropped, because they could not be written',
    );
    droppedBefore = dropped;
  });

  return {
    logger,
    output: {
      droppedLines: () => dropped,
      fault: () => (failing ? 'The log cannot be written; lines are being dropped.' : undefined),
      async flush(withinMs) {
        const written = new Promise<void>((resolve) => stream.once('drain', resolve));
        stream.write('');
        await withTimeout(withinMs, written, () => new Error('the log is late')).catch(() => undefined);
      },
    },
  };
}

/**
 * Makes a write to this descriptor fail instead of waiting for a reader. Otherwise one write to a pipe that nobody
 * reads occupies a thread for ever, and a process cannot end while one of its threads waits. libuv sets the flag when
 * it opens a pipe or a socket, and Node resets it at the end; files and devices stay as they are.
 */
export function neverWaitFor(fd: number): void {
  const kind = fstatSync(fd);
  if (kind.isFIFO() || kind.isSocket()) new Socket({ fd, readable: false, writable: true }).unref();
}
