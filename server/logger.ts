import { type DestinationStream, pino, stdSerializers } from 'pino';
import type { Logger } from './ports.js';

const maxTextLength = 2_000;

/** JSON lines on stdout (or `destination`). Secrets are never passed to it; the redaction is the second net. */
export function createLogger(options: { level: string; destination?: DestinationStream }): Logger {
  const settings = {
    level: options.level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: [
      '*.secret',
      '*.authorization',
      '*.token',
      '*.nonce',
      'secret',
      'authorization',
      'token',
      'nonce',
    ],
    serializers: { err: serializeError },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error).slice(0, maxTextLength);
  const { type, message, stack } = stdSerializers.err(error);
  return { type, message: message.slice(0, maxTextLength), stack: stack?.slice(0, 2 * maxTextLength) };
}
