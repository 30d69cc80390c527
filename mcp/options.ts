import { parseArgs } from 'node:util';
import { parseUrl } from '../contract/anchor-documents/values.js';
import {
  type BatchKey,
  batchKeyId,
  decodeSecretKey,
  parsePublicKey,
  StrkeyError,
} from '../contract/index.js';

export interface Options {
  /** Address of the service, without a slash at its end. */
  url: string;
  timeoutMs: number;
  /** Keys of the publisher that the user trusts; none: those that the service lists. */
  keys: BatchKey[];
  /** Whether intents may be registered. */
  intents: boolean;
  /** Offers the operations of operators. */
  adminKey: string | undefined;
  /** `S…`: offers disputes signed by this account. */
  accountSecret: string | undefined;
}

/** The program cannot be started like this; the message is a sentence for the user. */
export class UsageError extends Error {}

export const usage = `fairlead-mcp URL [--key KEY]… [--intents] [--timeout SECONDS]

Serves the operations of the Fairlead service at URL as tools of the Model Context Protocol, on stdin and stdout.

  --key KEY          a key of the service's publisher (G… or 64 hex digits) that verify_score trusts; may be repeated
  --intents          also offer create_intent and attach_transaction
  --timeout SECONDS  how long one request may take, 1 to 120; 15 when absent
  --help, --version

  FAIRLEAD_ADMIN_KEY       in the environment: also offer what operators do
  FAIRLEAD_ACCOUNT_SECRET  in the environment, S…: also offer file_dispute, signed here with this account
`;

export type Command = { help: true } | { version: true } | Options;

/** Reads command line and environment; throws UsageError. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Command {
  const { values, positionals } = parse(args);
  if (values.help === true) return { help: true };
  if (values.version === true) return { version: true };
  const [address, ...others] = positionals;
  if (address === undefined || others.length > 0)
    throw new UsageError('Give the address of one service: fairlead-mcp https://fairlead.example');
  const adminKey = env.FAIRLEAD_ADMIN_KEY || undefined;
  return {
    url: readUrl(address, adminKey !== undefined),
    timeoutMs: readSeconds(values.timeout ?? '15') * 1_000,
    keys: (values.key ?? []).map(readKey),
    intents: values.intents ?? false,
    adminKey: readAdminKey(adminKey),
    accountSecret: readSecret(env.FAIRLEAD_ACCOUNT_SECRET || undefined),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        key: { type: 'string', multiple: true },
        intents: { type: 'boolean' },
        timeout: { type: 'string' },
        help: { type: 'boolean' },
        version: { type: 'boolean' },
      },
    });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

function readUrl(text: string, carriesKey: boolean): string {
  const url = parseUrl(text);
  // The text is not repeated: it may hold a password.
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError('The address of a service must begin with https:// or http://, and have a host.');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError('The address must have no credentials, no query and no fragment.');
  if (carriesKey && url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new UsageError(
      'FAIRLEAD_ADMIN_KEY is not sent over plain http, except to this machine: use https.',
    );
  return url.href.replace(/\/+$/, '');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

function readSeconds(text: string): number {
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > 120) throw new UsageError('--timeout must be a whole number from 1 to 120.');
  return seconds;
}

function readKey(text: string): BatchKey {
  return orUsageError('--key', () => {
    const { account, key } = parsePublicKey(text);
    return { keyId: batchKeyId(key), publicKey: account };
  });
}

/** What cannot be sent in a header is refused without being repeated; errors of `fetch` would show it. */
function readAdminKey(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[\x21-\x7e]+$/.test(text))
    throw new UsageError('FAIRLEAD_ADMIN_KEY: it must consist of visible ASCII characters.');
  return text;
}

/** The text is not repeated: it may be a secret. */
function readSecret(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return orUsageError('FAIRLEAD_ACCOUNT_SECRET', () => {
    decodeSecretKey(text);
    return text;
  });
}

function orUsageError<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof StrkeyError) throw new UsageError(`${what}: it ${error.message}.`);
    throw error;
  }
}
