import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type Compiled, compile } from '../../scripts/lib/compile.js';
import { runProgram } from '../support/run-program.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fairlead-symlinked-'));
const link = join(folder, 'current');
symlinkSync(root, link);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { PATH = '' } = process.env;
const start = (...args: string[]) => runProgram(process.execPath, args, { cwd: root, env: { PATH } });

describe('a program that is started through a symlink', () => {
  it.each([['server/main.ts', [], 1, /MONGODB_URI is required/]] as const)(
    '%s does what it does otherwise',
    async (program, args, status, says) => {
      const ended = await start('--import', 'tsx', join(link, program), ...args);
      expect(ended).toMatchObject({ status, stderr: expect.stringMatching(says) });
    },
  );
});

describe('a compiled program', () => {
  let compiled: Compiled | undefined;
  afterAll(() => compiled?.remove());

  it('runs through a symlink, and without the ending of its file', async () => {
    compiled = await compile({ name: 'symlinked' });
    const program = compiled.fileOf('server/main');
    const linked = join(link, program.slice(root.length));
    for (const called of [linked, program.replace(/\.js$/, '')]) {
      const ended = await start(called);
      expect(ended).toMatchObject({ status: 1, stderr: expect.stringMatching(/MONGODB_URI is required/) });
    }
  });

  it('does nothing where it is only imported, whatever the arguments are', async () => {
    const program = compiled?.fileOf('server/main');
    const importing = `await import(${JSON.stringify(program)}); console.log('imported')`;
    const ended = await start('--input-type=module', '--eval', importing, 'no-such-file');
    expect(ended).toEqual({ status: 0, stdout: 'imported\n', stderr: '' });
  });
});
