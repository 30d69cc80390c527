import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parsePublicKey, StrkeyError } from '../contract/verification/strkey.js';
import { type BatchKey, batchKeyId } from '../contract/verification/verify-batch.js';
import { isMain } from '../server/process.js';
import { localServiceUrl } from './lib/local-service.js';
import { CannotCheck, createApi, type Wait } from './verify-service/api.js';
import { checkService, type Proved, Refuted, type Verified } from './verify-service/check.js';
import { type Remembered, recall, remember } from './verify-service/memory.js';

const help = `npm run verify -- [address] [--new-only] [--key G…] [--oracle address] [--oracle-key G…] [--remember file]

Downloads every batch that a running service has published and checks the whole chain: forms, links, signatures,
entries, roots, receipts, and that nothing differs from what an earlier check remembered. Trusts the keys given (--key
may be repeated), or those of the first check. Ends with 0 if all of it holds, 1 if something does not, 2 if it could
not be checked.`;

export const exitCodes = { verified: 0, refuted: 1, cannotCheck: 2 } as const;

const usualMemory = fileURLToPath(new URL('../data/verified-heads.json', import.meta.url));

interface Terminal {
  say(line: string): void;
  wait: Wait;
  now(): string;
}

/** Runs one check and says what came of it. Returns the exit code. */
export async function verifyService(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const options = readOptions(args);
    const remembered = (await recall(options.remember)).services[options.address];
    const api = (baseUrl: string) => createApi({ baseUrl, wait: terminal.wait, say: terminal.say });
    const verified = await checkService({
      ...options,
      api: api(options.address),
      oracleApi: options.oracle === undefined ? undefined : api(options.oracle),
      remembered,
      onBatch: (sequence, latest) => {
        if (sequence % 100 === 0) terminal.say(`… batch ${sequence} of ${latest}`);
      },
    });
    await remember(options.remember, options.address, toRemembered(verified, terminal.now()));
    for (const line of report(options, verified, remembered)) terminal.say(line);
    return exitCodes.verified;
  } catch (error) {
    if (error instanceof Refuted) {
      terminal.say(`REFUTED: ${error.message}`);
      return exitCodes.refuted;
    }
    if (error instanceof CannotCheck) {
      terminal.say(`NOT CHECKED: ${error.message}`);
      return exitCodes.cannotCheck;
    }
    throw error;
  }
}

function readOptions(args: readonly string[]) {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    throw new CannotCheck(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  if (positionals.length > 1) throw new CannotCheck('one address at a time');
  return {
    address: readAddress(positionals[0] ?? localServiceUrl()),
    oracle: values.oracle === undefined ? undefined : readAddress(values.oracle),
    oracleKey: values['oracle-key'] === undefined ? undefined : readKey(values['oracle-key']).publicKey,
    keys: (values.key ?? []).map(readKey),
    newOnly: values['new-only'] ?? false,
    remember: values.remember ?? usualMemory,
  };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      key: { type: 'string', multiple: true },
      oracle: { type: 'string' },
      'oracle-key': { type: 'string' },
      'new-only': { type: 'boolean' },
      remember: { type: 'string' },
    },
  });
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

/** Keys are remembered from the first check on, so that a service cannot quietly come with others. */
function toRemembered({ head, keys, oracle }: Verified, checkedAt: string): Remembered {
  const each = new Map(keys.map((key) => [key.keyId, key]));
  return { checkedAt, head, keys: [...each.values()], oracle };
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

function describeProof({ entry, index, size, hashes, sequence }: Proved): string {
  const score = typeof entry.score === 'string' ? entry.score : 'none yet';
  return `${entry.anchorId} in ${entry.corridor}, score ${score}: entry ${index + 1} of ${size} of batch ${sequence}, by ${counted(hashes, 'hash', 'hashes')}`;
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
