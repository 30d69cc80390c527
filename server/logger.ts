import { type DestinationStream, pino, stdSerializers } from 'pino';
import type { Logger } from './ports.js';

const maxTextLength = 2_000;
const maxDepth = 8;
const maxEntries = 100;
const hidden = '[redacted]';

/** Names of fields that carry secrets: headers, environment variables and members of the configuration alike. */
const secretName =
  /secret|nonce|token|passw|credential|authorization|cookie|mongo.*uri|(admin|api|private|webhook)[-_]?key/i;

/** `user:password@` of an address. */
const userInfo = /(:\/\/)[^\s/?#]*@/g;

const ignore = () => undefined;

/** A logger for programs and tests that need no log. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLogger,
};

/** Logs JSON lines to stdout (or `destination`). Secrets are never passed to it; redaction is a second safeguard. */
export function createLogger(options: { level: string; destination?: DestinationStream }): Logger {
  const settings = {
    level: options.level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: (error: unknown) => error },
  };
  return redacting(options.destination === undefined ? pino(settings) : pino(settings, options.destination));
}

/** Redacts by name at every depth, which pino's own redaction by path cannot. */
function redacting(log: pino.Logger): Logger {
  return {
    debug: (fields, message) => log.debug(redactFields(fields), message),
    info: (fields, message) => log.info(redactFields(fields), message),
    warn: (fields, message) => log.warn(redactFields(fields), message),
    error: (fields, message) => log.error(redactFields(fields), message),
    child: (fields) => redacting(log.child(redactFields(fields))),
  };
}

function redactFields(fields: object, depth = 0): Record<string, unknown> {
  const shown = Object.entries(fields).slice(0, maxEntries);
  return Object.fromEntries(
    shown.map(([name, value]) => [name, secretName.test(name) ? hidden : redactValue(value, depth + 1)]),
  );
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value, maxTextLength);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return serializeError(value);
  if (depth > maxDepth) return '[too deep]';
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((each) => redactValue(each, depth + 1));
  if ('toJSON' in value && typeof value.toJSON === 'function') return redactValue(value.toJSON(), depth + 1);
  return redactFields(value, depth);
}

function serializeError(error: Error): object {
  const { type, message, stack } = stdSerializers.err(error);
  return {
    type,
    message: redactText(message, maxTextLength),
    ...(stack === undefined ? {} : { stack: redactText(stack, 2 * maxTextLength) }),
  };
}

function redactText(text: string, maxLength: number): string {
  // Searches more text than it returns, so that a password that is cut in half is still found.
  return text
    .slice(0, 10 * maxLength)
    .replace(userInfo, `$1${hidden}@`)
    .slice(0, maxLength);
}
