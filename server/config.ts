import { accessSync, constants, statSync } from 'node:fs';
import leven from 'leven';
import { z } from 'zod';
import { parseUrl } from '../contract/anchor-documents/values.js';
import { faultList, OperatorError } from './errors.js';
import { parseTrustProxy, trustsTheInternet } from './http/client-key.js';
import { parseOutboundAllow } from './outbound/outbound.js';

/** A start-up error that lists every fault. */
export class ConfigError extends OperatorError {
  constructor(faults: readonly string[]) {
    super(faultList('The configuration', faults));
    this.name = 'ConfigError';
  }
}

const minSecretLength = 24;
/** By then a balancer that checks every two seconds has noticed, and kept-alive connections have timed out. */
const productionDrainSeconds = 10;

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number')
  .transform(Number)
  .refine((number) => number <= 65_535, 'must be a port number');
const flag = z.enum(['on', 'off'], { message: 'must be "on" or "off"' });
const seconds = z
  .string()
  .regex(/^\d{1,8}$/, 'must be a whole number of seconds')
  .transform(Number);
const count = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, 'must be a whole number from 1 to 999999')
  .transform(Number);
const hexKey = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');
/** An address that is called unchanged. */
const fullUrl = z
  .string()
  .refine((text) => /^https?:$/.test(parseUrl(text)?.protocol ?? ''), 'must be an http or https address');
const httpUrl = fullUrl.transform((text) => text.replace(/\/+$/, ''));

/** A base address, to which paths are appended. */
const baseUrl = httpUrl.refine(
  (text) => !/[?#]|:\/\/[^/]*@/.test(text),
  'must have no query, fragment, user name or password',
);

const environment = z.object({
  NODE_ENV: z
    .enum(['development', 'test', 'production'], { message: 'must be development, test or production' })
    .default('development'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default('8080'),
  METRICS_PORT: port.optional(),
  METRICS_TOKEN: z.string().default(''),
  // Anchors sign callbacks over its host, so it is handed out in the form in which that is verified.
  PUBLIC_URL: baseUrl.transform((text) => new URL(text).href.replace(/\/+$/, '')).optional(),
  MONGODB_URI: z
    .string({ message: 'is required' })
    .regex(/^mongodb(\+srv)?:\/\//, 'must be a mongodb:// address'),
  FLEET_FILE: z.string({ message: 'is required' }).refine(canBeRead, 'names a file that cannot be read'),
  ADMIN_SECRET_KEY: z.string().default(''),
  CRON_SECRET: z.string().default(''),
  TRUST_PROXY: list(parseTrustProxy),
  MAX_CONNECTIONS: count.default('1000'),
  OUTBOUND_ALLOW: list(parseOutboundAllow),
  FX_URL: httpUrl.optional(),
  FX_SOURCE: z.string().max(80, 'must have at most 80 characters').optional(),
  ORACLE_URL: httpUrl.optional(),
  LEDGER_RPC_URL: fullUrl.optional(),
  HORIZON_URL: httpUrl
    .refine((text) => !/[?#]/.test(text), 'must have no query or fragment: paths are appended to it')
    .optional(),
  PUBLISHER_SECRET_KEY: hexKey.optional(),
  PUBLISHER_OLD_KEYS: z
    .string()
    .regex(/^([0-9a-f]{64}(,[0-9a-f]{64})*)?$/, 'must be a comma list of 64 lower-case hex digits each')
    .default(''),
  WEBHOOK_KEY: hexKey.optional(),
  SCHEDULER: flag.optional(),
  DRAIN_SECONDS: seconds.refine((number) => number <= 600, 'must be from 0 to 600').optional(),
  OBSERVER: flag.default('off'),
  CACHE_PUBLIC: flag.default('off'),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], {
      message: 'must be debug, info, warn, error or silent',
    })
    .default('info'),
});

type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration of programs that work on the published log. Throws ConfigError. */
export function readLogConfig(env: Environment) {
  const some = environment.pick({ ORACLE_URL: true, PUBLISHER_SECRET_KEY: true, PUBLISHER_OLD_KEYS: true });
  const { data, error } = some.safeParse(givenOf(env));
  if (error) throw new ConfigError(faultsOf(error));
  return {
    oracleUrl: data.ORACLE_URL,
    publisherSecretKey: data.PUBLISHER_SECRET_KEY,
    publisherOldKeys: splitList(data.PUBLISHER_OLD_KEYS),
  };
}

function givenOf(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
}

/** The configuration of the service: environment variables that were validated. */
export type Config = ReturnType<typeof readConfig>;

/** Reads the environment. Throws ConfigError. An empty variable is the same as an unset one. */
export function readConfig(env: Environment) {
  const given = givenOf(env);
  const parsed = environment.safeParse(given);
  const faults = [...faultsOf(parsed.error), ...faultsTogether(given)];
  const mistyped = mistypedIn(given);
  if (!parsed.success || faults.length > 0) throw new ConfigError([...faults, ...mistyped]);
  const values = parsed.data;
  const production = values.NODE_ENV === 'production';
  // Off in production unless asked for: there, a scheduled job may call the internal endpoints instead.
  const scheduler = values.SCHEDULER === undefined ? !production : values.SCHEDULER === 'on';
  return {
    mode: values.NODE_ENV,
    host: values.HOST,
    port: values.PORT,
    /** Address under which clients reach the service, without a trailing slash; status callbacks are built on it. */
    publicUrl: values.PUBLIC_URL ?? httpOrigin(values.HOST, values.PORT),
    /** A separate port for the metrics; undefined: they are served with everything else. */
    metricsPort: values.METRICS_PORT,
    /** Accepted bearer tokens for the metrics; if empty, anyone who reaches them may read them. */
    metricsTokens: splitList(values.METRICS_TOKEN),
    mongodbUri: values.MONGODB_URI,
    fleetFile: values.FLEET_FILE,
    adminKeys: splitList(values.ADMIN_SECRET_KEY),
    cronSecrets: splitList(values.CRON_SECRET),
    trustProxy: values.TRUST_PROXY,
    /** The most connections open at once, of all clients. */
    maxConnections: values.MAX_CONNECTIONS,
    outboundAllow: values.OUTBOUND_ALLOW,
    fxUrl: values.FX_URL,
    /** The name of the FX reference in answers; undefined: the host of `fxUrl`. */
    fxSource: values.FX_SOURCE,
    oracleUrl: values.ORACLE_URL,
    /** Stellar RPC and Horizon of the operator's choice; without either, payments are not looked up. */
    ledgerRpcUrl: values.LEDGER_RPC_URL,
    horizonUrl: values.HORIZON_URL,
    /** Ed25519 seed, 64 hex digits; undefined: batches are not published. */
    publisherSecretKey: values.PUBLISHER_SECRET_KEY,
    /** Older publisher public keys, 64 hex digits each, kept and listed for verifiers. */
    publisherOldKeys: splitList(values.PUBLISHER_OLD_KEYS),
    /** AES-256 key for webhook secrets at rest, 64 hex digits. */
    webhookKey: values.WEBHOOK_KEY,
    scheduler,
    // On a developer's machine there is no balancer that has to notice the stop, and nobody wants to wait for it.
    drainSeconds: values.DRAIN_SECONDS ?? (production ? productionDrainSeconds : 0),
    /** Whether the scheduler, if it runs, has the anchors observed. */
    observer: values.OBSERVER === 'on',
    cachePublic: values.CACHE_PUBLIC === 'on',
    logLevel: values.LOG_LEVEL,
    /** One sentence for the log per feature that is off, or perhaps unintended, because a variable is not set. */
    notices: [...mistyped, ...noticesOf(values, scheduler)],
  };
}

/** The database of the operator's commands. Throws ConfigError. */
export function readDatabaseAddress(env: Environment): string {
  const { MONGODB_URI = '' } = env;
  if (!namesDatabase(MONGODB_URI)) throw new ConfigError([namelessDatabase]);
  return MONGODB_URI;
}

const namelessDatabase = 'MONGODB_URI must name a database: mongodb://host/database';

/** Without a name, the driver would use a database called "test". */
function namesDatabase(mongodbUri: string): boolean {
  return /^[^/]+\/\/[^/]+\/[^?]+/.test(mongodbUri);
}

function noticesOf(values: z.infer<typeof environment>, scheduler: boolean): string[] {
  const own = httpOrigin(values.HOST, values.PORT);
  const internal = splitList(values.CRON_SECRET).length > 0;
  const notices: [unless: unknown, text: string][] = [
    [
      values.PUBLIC_URL || values.NODE_ENV !== 'production',
      `PUBLIC_URL is not set: anchors are told to send status callbacks to ${own}`,
    ],
    [splitList(values.ADMIN_SECRET_KEY).length, 'ADMIN_SECRET_KEY is not set: no admin endpoint is served'],
    [internal, 'CRON_SECRET is not set: no internal endpoint is served'],
    [internal || scheduler, 'SCHEDULER is off as well: nothing is reconciled, scored or published'],
    [
      values.OBSERVER === 'off' || scheduler,
      'OBSERVER is on and SCHEDULER is off: this instance observes no anchors by itself',
    ],
    [
      values.LEDGER_RPC_URL || values.HORIZON_URL,
      "LEDGER_RPC_URL is not set, nor is HORIZON_URL: payments are taken on the anchors' word",
    ],
    [values.PUBLISHER_SECRET_KEY, 'PUBLISHER_SECRET_KEY is not set: no batch is published'],
  ];
  return notices.filter(([unless]) => !unless).map(([, text]) => text);
}

/** One sentence per variable that is not known and nearly spelt like one that is. */
function mistypedIn(given: Environment): string[] {
  const known = Object.keys(environment.shape);
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = known.find((other) => leven(name, other) <= (other.length < 8 ? 1 : 2));
      return meant === undefined ? [] : [`${name} is not a variable of this service: did you mean ${meant}?`];
    });
}

function canBeRead(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    // Docker makes a folder where a file that is to be mounted does not exist.
    return !statSync(file).isDirectory();
  } catch {
    return false;
  }
}

/** A variable whose parser throws on a fault; the fault becomes an issue of that variable. */
function list<T>(parse: (text: string) => T[]) {
  return z
    .string()
    .default('')
    .transform((text, context) => {
      try {
        return parse(text);
      } catch (error) {
        context.addIssue({
          code: 'custom',
          message: error instanceof Error ? error.message : 'is not valid',
        });
        return z.NEVER;
      }
    });
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** `http://host:port`, an IPv6 address in brackets. */
export function httpOrigin(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function faultsOf(error: z.ZodError | undefined): string[] {
  return (error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`);
}

/** Faults that depend on several variables together. */
function faultsTogether(given: Readonly<Record<string, string | undefined>>): string[] {
  const production = given.NODE_ENV === 'production';
  const faults: string[] = [];
  for (const name of ['ADMIN_SECRET_KEY', 'CRON_SECRET', 'METRICS_TOKEN']) {
    const secrets = splitList(given[name] ?? '');
    if (secrets.length > 2) faults.push(`${name} may list two values at most`);
    if (production && secrets.some((secret) => secret.length < minSecretLength)) {
      faults.push(`${name} must have at least ${minSecretLength} characters in production`);
    }
  }
  if (production && given.WEBHOOK_KEY === undefined) faults.push('WEBHOOK_KEY is required in production');
  const trustProxy = environment.shape.TRUST_PROXY.safeParse(given.TRUST_PROXY);
  if (production && trustProxy.success && trustsTheInternet(trustProxy.data)) {
    faults.push(
      'TRUST_PROXY holds a range wider than /7, so that clients could choose what they are counted by',
    );
  }
  const { PORT = '8080', METRICS_PORT, MONGODB_URI } = given;
  if (METRICS_PORT !== '0' && METRICS_PORT === PORT)
    faults.push('METRICS_PORT must be another port than PORT');
  if (MONGODB_URI !== undefined && !namesDatabase(MONGODB_URI)) faults.push(namelessDatabase);
  return faults;
}
