import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { parsePublicKey, StrkeyError } from '../contract/verification/strkey.js';
import { type BatchKey, batchKeyId } from '../contract/verification/verify-batch.js';
import { isMain } from '../server/process.js';
import { readJson, replaceFile, withFolderLock } from './lib/files.js';
import { localServiceUrl } from './lib/local-service.js';
import { CannotCheck, Refuted, reader, type Terminal } from './verify-service/api.js';
import { checkService, type Verified } from './verify-service/check.js';

const help = `npm run verify -- [address] [--new-only] [--key G…] [--oracle address] [--remember file]

Downloads every batch that a running service has published and checks the whole chain: forms, links, signatures,
entries, roots, receipts, and that nothing differs from what an earlier check remembered. Trusts the keys given (--key
may be repeated), or those of the first check. Ends with 0 if all of it holds, 1 if something does not, 2 if it could
not be checked.`;

export const exitCodes = { verified: 0, refuted: 1, cannotCheck: 2 } as const;

const usualMemory = fileURLToPath(new URL('../data/verified-heads.json', import.meta.url));

/** The results of an earlier check of a service. */
const remembered = z.object({
  checkedAt: z.string(),
  head: z.object({ sequence: z.number().int().min(1), headerHash: z.string() }).nullable(),
  /** Trusted since the first check. */
  keys: z.array(z.object({ keyId: z.string(), publicKey: z.string() })),
  /** The key of its oracle's receipts (G…), once there was one. */
  oracle: z.string().nullable(),
});

const memoryFile = z.object({ services: z.record(remembered) });

export type Remembered = z.infer<typeof remembered>;

/** What is remembered, by address of the service; empty where there is no file. Throws CannotCheck on other content. */
export async function recall(path: string): Promise<Record<string, Remembered>> {
  try {
    return memoryFile.parse((await readJson(path)) ?? { services: {} }).services;
  } catch {
    throw new CannotCheck(`${path} does not hold remembered heads: mend it, or begin anew with another file`);
  }
}

/** Adds a check to what the file holds by then, so that checks that end at the same time forget nothing. */
export async function remember(path: string, address: string, checked: Remembered): Promise<void> {
  await withFolderLock(dirname(path), async () => {
    const services = await recall(path);
    const known = services[address]?.head?.sequence ?? 0;
    if (known > (checked.head?.sequence ?? 0)) return;
    services[address] = checked;
    await replaceFile(path, `${JSON.stringify({ services }, null, 2)}\n`);
  });
}

/** Runs one check and says what came of it. Returns the exit code. */
export async function verifyService(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const options = readOptions(args);
    const { address, oracle } = options;
    const remembered = (await recall(options.remember))[address];
    const verified = await checkService({
      ...options,
      get: reader(address, terminal),
      getFromOracle: oracle === undefined ? undefined : reader(oracle, terminal),
      remembered,
      say: terminal.say,
    });
    const { head, keys, oracle: receiptsBy } = verified;
    // Keys are remembered from the first check on, so that a service cannot quietly come with others.
    const distinct = [...new Map(keys.map((key) => [key.keyId, key])).values()];
    const checked = { checkedAt: terminal.now(), head, keys: distinct, oracle: receiptsBy };
    await remember(options.remember, address, checked);
    for (const line of report(options, verified, remembered)) terminal.say(line);
    return exitCodes.verified;
  } catch (error) {
    if (!(error instanceof Refuted || error instanceof CannotCheck)) throw error;
    const isRefuted = error instanceof Refuted;
    terminal.say(`${isRefuted ? 'REFUTED' : 'NOT CHECKED'}: ${error.message}`);
    return isRefuted ? exitCodes.refuted : exitCodes.cannotCheck;
  }
}

function readOptions(args: readonly string[]) {
  const { values, positionals } = parse(args);
  if (positionals.length > 1) throw new CannotCheck('one address at a time');
  const { oracle } = values;
  return {
    address: readAddress(positionals[0] ?? localServiceUrl()),
    oracle: oracle === undefined ? undefined : readAddress(oracle),
    keys: (values.key ?? []).map(readKey),
    newOnly: values['new-only'] ?? false,
    remember: values.remember ?? usualMemory,
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const keys = { ...text, multiple: true } as const;
  const options = { key: keys, oracle: text, 'new-only': { type: 'boolean' }, remember: text } as const;
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new CannotCheck((error as Error).message);
  }
}

function readAddress(text: string): string {
  if (!URL.canParse(text) || !/^https?:\/\//.test(text)) throw new CannotCheck(`${text} is no http address`);
  return text.replace(/\/+$/, '');
}

function readKey(text: string): BatchKey {
  try {
    const { account, key } = parsePublicKey(text);
    return { keyId: batchKeyId(key), publicKey: account };
  } catch (error) {
    if (error instanceof StrkeyError) throw new CannotCheck(`${text} is no public key: it ${error.message}`);
    throw error;
  }
}

function report(
  { address, keys: given }: { address: string; keys: readonly BatchKey[] },
  verified: Verified,
  before: Remembered | undefined,
): string[] {
  const { head, batches, entries, receipts, confirmed, keys, oracle, proof } = verified;
  if (head === null)
    return [`VERIFIED: ${address} has published nothing yet (npm start publishes 10 s after it is up)`];
  const since =
    before?.head == null
      ? 'for the first time; from now on its keys and this head are remembered'
      : `and it still holds batch ${before.head.sequence}, remembered ${before.checkedAt}`;
  return [
    `  keys      ${keys.map(({ keyId }) => keyId).join(', ')}`,
    ...(given.length > 0
      ? []
      : ['  trust     the service itself named the keys: this shows only that its answers agree (--key)']),
    `  receipts  ${receipts} of ${batches}${oracle === null ? '' : `, by ${oracle}`}`,
    ...(confirmed > 0 ? [`  oracle    confirms ${confirmed}`] : []),
    `  head      ${head.sequence} ${head.headerHash}`,
    ...(proof === null ? [] : [`  proof     ${describeProof(proof)}`]),
    `VERIFIED: ${counted(batches, 'batch', 'batches')}, ${counted(entries, 'entry', 'entries')}, ${since}`,
  ];
}

function describeProof({ entry, index, size, proof, sequence }: NonNullable<Verified['proof']>): string {
  const score = typeof entry.score === 'string' ? entry.score : 'none yet';
  const place = `entry ${index + 1} of ${size} of batch ${sequence}, by ${counted(proof.length, 'hash', 'hashes')}`;
  return `${entry.anchorId} in ${entry.corridor}, score ${score}: ${place}`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return console.log(help);
  process.exitCode = await verifyService(process.argv.slice(2), {
    say: (line) => console.log(line),
    wait: (waitMs) => wait(waitMs),
    now: () => new Date().toISOString(),
  });
}

if (isMain(import.meta.url)) {
  main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = exitCodes.cannotCheck;
  });
}
