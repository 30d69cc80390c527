import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findMongod, MongoNotFound, readVersion } from '../../scripts/find-mongod.js';

import { withDatabase } from '../../scripts/mongod/uri.js';

const say = () => undefined;

describe('findMongod', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'find-mongod-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** An executable in a folder of its own, which runs the script whatever its arguments are. */
  async function program(name: string, script: string): Promise<{ path: string; inFolder: string }> {
    const inFolder = join(folder, name);
    await mkdir(inFolder, { recursive: true });
    const path = join(inFolder, 'mongod');
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return { path, inFolder };
  }

  it('takes MONGODB_URI before everything else, without looking at it', async () => {
    const env = { MONGODB_URI: 'mongodb://db.example/x', MONGOMS_SYSTEM_BINARY: '/nowhere', PATH: '' };
    expect(await findMongod({ env, say })).toEqual({ kind: 'uri', uri: 'mongodb://db.example/x' });
  });

  it('takes the binary that MONGOMS_SYSTEM_BINARY names before one on PATH', async () => {
    const chosen = await program('chosen', 'echo "db version v7.0.1"');
    const other = await program('other', 'echo "db version v8.0.0"');
    const env = { MONGOMS_SYSTEM_BINARY: chosen.path, PATH: other.inFolder };
    expect(await findMongod({ env, say })).toEqual({
      kind: 'binary',
      path: chosen.path,
      version: '7.0.1',
      source: 'MONGOMS_SYSTEM_BINARY',
    });
  });

  it('refuses a named binary that does not run, instead of skipping it', async () => {
    const broken = await program(
      'broken',
      'echo "libcurl.so.4: cannot open shared object file" >&2; exit 127',
    );
    const fine = await program('fine', 'echo "db version v8.0.0"');
    const finding = findMongod({ env: { MONGOMS_SYSTEM_BINARY: broken.path, PATH: fine.inFolder }, say });
    await expect(finding).rejects.toBeInstanceOf(MongoNotFound);
    await expect(finding).rejects.toThrow(/MONGOMS_SYSTEM_BINARY names .*libcurl\.so\.4/);
  });

  it('takes the first on PATH that runs and is new enough', async () => {
    const broken = await program('broken-on-path', 'exit 1');
    const old = await program('old-on-path', 'echo "db version v4.4.29"');
    const good = await program('good-on-path', 'echo "db version v6.0.5"');
    const PATH = [broken.inFolder, old.inFolder, good.inFolder].join(delimiter);
    expect(await findMongod({ env: { PATH }, say })).toMatchObject({
      path: good.path,
      version: '6.0.5',
      source: 'PATH',
    });
  });
});

describe('readVersion', () => {
  it.each([
    ['db version v6.0.5\nBuild Info: {}', { runs: true, version: '6.0.5' }],
    ['db version v8.2.6-rc0', { runs: true, version: '8.2.6' }],
    ['db version v5.0.31', { runs: false, reason: 'is version 5.0.31, and 6.0 is the oldest that will do' }],
    ['mongosh 2.0', { runs: false, reason: 'does not answer --version as mongod does' }],
  ])('reads %j', (output, expected) => {
    expect(readVersion(output)).toEqual(expected);
  });
});

describe('withDatabase', () => {
  it.each([
    ['mongodb://127.0.0.1:27017/?replicaSet=rs0', 'mongodb://127.0.0.1:27017/mine?replicaSet=rs0'],
    ['mongodb://a:1,b:2,c:3/old?replicaSet=rs0&w=1', 'mongodb://a:1,b:2,c:3/mine?replicaSet=rs0&w=1'],
    ['mongodb+srv://cluster.example', 'mongodb+srv://cluster.example/mine'],
    ['mongodb://u:p%40x@h/app?tls=true', 'mongodb://u:p%40x@h/mine?tls=true&authSource=app'],
    ['mongodb://u:p@h/app?authSource=admin', 'mongodb://u:p@h/mine?authSource=admin'],
    ['mongodb://u:p@h/', 'mongodb://u:p@h/mine'],
  ])('keeps the servers, user and options of %s', (uri, expected) => {
    expect(withDatabase(uri, 'mine')).toBe(expected);
  });

  it('refuses another kind of URI without repeating its password', () => {
    expect(() => withDatabase('postgres://u:secret@h/x', 'mine')).toThrow(/^(?!.*secret).*mongodb:\/\//);
  });
});
