import { type DestinationStream, pino, stdSerializers } from 'pino';
import type { Logger } from './ports.js';

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

/** Logs JSON lines to stdout (or `destination`). Secrets are never passed to it; redaction is a second safeguard. */
export function createLogger(options: { level: string; destination?: DestinationStream }): Logger {
  const settings = {
    level: options.level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    // Redacts by name at every depth, which pino's own redaction by path cannot.
    // Pino's own would take the type of an error from what `log` made of it.
    serializers: { err: (error: unknown) => error },
    formatters: { level: (label: string) => ({ level: label }), log: redactFields },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
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

function redactText(text: string): string {
  // Searches more text than it returns, so that a password that is cut in half is still found.
  return text
    .slice(0, 10 * maxTextLength)
    .replace(userInfo, `$1${hidden}@`)
    .slice(0, maxTextLength);
}
