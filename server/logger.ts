import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { type DestinationStream, pino, stdSerializers } from 'pino';
import sonicBoom from 'sonic-boom';
import type { Clock, Logger, LogOutput } from './ports.js';
import { withTimeout } from './timing.js';

const maxTextLength = 2_000;
const hidden = '[redacted]';

/** Names of fields that carry secrets: headers, environment variables and members of the configuration alike. */
const secretName =
  /secret|nonce|token|passw|credential|authorization|cookie|mongo.*uri|(admin|api|private|webhook)[-_]?key/i;

/** `user:password@` of an address. */
const userInfo = /(:\/\/)[^\s/?#]*@/g;

const ignore = () => undefined;

/** A logger for programs and tests that need no log. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Logs JSON lines to `destination`. Secrets are never passed to it; redaction is a second safeguard. */
export function createLogger(options: { level: string; destination: DestinationStream }): Logger {
  const settings = {
    level: options.level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    // Redacts by name at every depth, which pino's own redaction by path cannot.
    // Pino's own would take the type of an error from what `log` made of it.
    serializers: { err: (error: unknown) => error },
    formatters: { level: (label: string) => ({ level: label }), log: redactFields },
  };
  return pino(settings, options.destination);
}

function redactFields(fields: object): Record<string, unknown> {
  try {
    return JSON.parse(JSON.stringify(fields, redactMember)) as Record<string, unknown>;
  } catch {
    return { fields: '[cannot be written]' };
  }
}

function redactMember(name: string, value: unknown): unknown {
  if (secretName.test(name)) return hidden;
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (!(value instanceof Error)) return value;
  const { type, message, stack } = stdSerializers.err(value);
  return { type, message, stack };
}

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

/**
 * Logs when something outside of this service begins to fail and when it works again, and nothing in between: how often
 * it is used in the meantime, and how its failures differ, is for the metrics.
 */
export function createOutageLog(deps: {
  /** The messages of the two lines. */
  says: { failed: string; worked: string };
  clock: Clock;
  logger: Logger;
}) {
  const { says, clock, logger } = deps;
  /** Since when each fails, by `clock`; at most as many as there are keys. */
  const failingSince = new Map<string, number>();
  return {
    /** `key` names what failed among the things that this log is about. */
    failed(key: string, fields: object): void {
      if (failingSince.has(key)) return;
      failingSince.set(key, clock());
      logger.warn(fields, says.failed);
    },
    worked(key: string, fields: object): void {
      const since = failingSince.get(key);
      if (since === undefined) return;
      failingSince.delete(key);
      logger.info({ ...fields, failedForSeconds: Math.round((clock() - since) / 1_000) }, says.worked);
    },
  };
}

function redactText(text: string): string {
  // Searches more text than it returns, so that a password that is cut in half is still found.
  return text
    .slice(0, 10 * maxTextLength)
    .replace(userInfo, `$1${hidden}@`)
    .slice(0, maxTextLength);
}
