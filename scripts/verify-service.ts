import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { parseUrl } from '../contract/anchor-documents/values.js';
import { isFairleadError, UnexpectedAnswerError } from '../contract/client/fairlead-error.js';
import { createClient } from '../contract/client/validating/create-client.js';
import { parsePublicKey } from '../contract/verification/strkey.js';
import { type BatchKey, batchKeyId } from '../contract/verification/verify-batch.js';
import { isMain } from '../server/process.js';
import { readJson, replaceFile, withFolderLock } from './lib/files.js';
import { localServiceUrl } from './lib/local-service.js';
import { checkService, Refuted, type Verified } from './verify-service/check.js';

const help = `npm run verify -- [address] [--key G…]

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

/** By address of the service. */
const memoryFile = z.object({ services: z.record(remembered) });

type Remembered = z.infer<typeof remembered>;

async function recall(path: string): Promise<Record<string, Remembered>> {
  return memoryFile.parse((await readJson(path)) ?? { services: {} }).services;
}

/** Adds a check to what the file holds by then, so that checks that end at the same time forget nothing. */
async function remember(path: string, address: string, checked: Remembered): Promise<void> {
  await withFolderLock(dirname(path), async () => {
    const services = await recall(path);
    const known = services[address]?.head?.sequence ?? 0;
    if (known > (checked.head?.sequence ?? 0)) return;
    services[address] = checked;
    await replaceFile(path, `${JSON.stringify({ services }, null, 2)}\n`);
  });
}

/** A long log cannot be read without running into the rate limit, whose window lasts a minute. */
const retry = { retries: 5, maxWaitMs: 120_000 };

/** Runs one check, says what came of it and remembers what it found in the file. Returns the exit code. */
export async function verifyService(
  args: readonly string[],
  say: (line: string) => void,
  memory = usualMemory,
): Promise<number> {
  try {
    const { address, keys } = readOptions(args);
    const before = (await recall(memory))[address];
    const wait = async (waitMs: number) => {
      say(`The rate limit is reached: waiting ${Math.round(waitMs / 1_000)} s …`);
      await delay(waitMs);
    };
    const { publisher } = createClient(address, { retry, wait });
    const verified = await checkService({ publisher, keys, remembered: before, say });
    // Keys are remembered from the first check on, so that a service cannot quietly come with others.
    const distinct = [...new Map(verified.keys.map((key) => [key.keyId, key])).values()];
    const { head, oracle } = verified;
    await remember(memory, address, { checkedAt: new Date().toISOString(), head, keys: distinct, oracle });
    for (const line of report(address, keys.length > 0, verified, before)) say(line);
    return exitCodes.verified;
  } catch (error) {
    const isRefuted = refutes(error);
    say(`${isRefuted ? 'REFUTED' : 'NOT CHECKED'}: ${describe(error)}`);
    return isRefuted ? exitCodes.refuted : exitCodes.cannotCheck;
  }
}

/** Whether what was published does not hold, is missing, or is not of the documented form. */
function refutes(error: unknown): boolean {
  if (error instanceof UnexpectedAnswerError) return error.path !== null;
  return error instanceof Refuted || isFairleadError(error, 'UNKNOWN_BATCH', 'UNSUPPORTED_PAIR');
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function readOptions(args: readonly string[]): { address: string; keys: BatchKey[] } {
  const options = { key: { type: 'string', multiple: true } } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [address = localServiceUrl(), ...more] = positionals;
  if (more.length > 0) throw new Error('one address at a time');
  if (parseUrl(address) === null || !/^https?:\/\//.test(address))
    throw new Error(`${address} is no http address`);
  return { address: address.replace(/\/+$/, ''), keys: (values.key ?? []).map(toBatchKey) };
}

function toBatchKey(text: string): BatchKey {
  const { account, key } = parsePublicKey(text);
  return { keyId: batchKeyId(key), publicKey: account };
}

function report(
  address: string,
  keysAreGiven: boolean,
  { head, batches, entries, receipts, keys, oracle, proof }: Verified,
  before: Remembered | undefined,
): string[] {
  if (head === null)
    return [`VERIFIED: ${address} has published nothing yet (npm start publishes 10 s after it is up)`];
  const since =
    before?.head == null
      ? 'for the first time; from now on its keys and this head are remembered'
      : `and it still holds batch ${before.head.sequence}, remembered ${before.checkedAt}`;
  return [
    `  keys      ${keys.map(({ keyId }) => keyId).join(', ')}`,
    ...(keysAreGiven
      ? []
      : ['  trust     the service itself named the keys: this shows only that its answers agree (--key)']),
    `  receipts  ${receipts} of ${batches}${oracle === null ? '' : `, by ${oracle}`}`,
    `  head      ${head.sequence} ${head.headerHash}`,
    ...(proof === null ? [] : [`  proof     ${describeProof(proof)}`]),
    `VERIFIED: ${counted(batches, 'batch', 'batches')}, ${counted(entries, 'entry', 'entries')}, ${since}`,
  ];
}

function describeProof({ entry, index, size, proof, sequence }: NonNullable<Verified['proof']>): string {
  const place = `entry ${index + 1} of ${size} of batch ${sequence}, by ${counted(proof.length, 'hash', 'hashes')}`;
  return `${entry.anchorId} in ${entry.corridor}, score ${entry.score ?? 'none yet'}: ${place}`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

if (isMain(import.meta.url)) {
  if (process.argv.includes('--help')) console.log(help);
  else process.exitCode = await verifyService(process.argv.slice(2), console.log);
}
