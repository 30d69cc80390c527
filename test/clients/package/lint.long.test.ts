import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runProgram } from '../../support/run-program.js';
import { packedTarball, root } from './tarball.js';

/** Runs a program from the repository's own dependencies on the tarball. */
async function judge(program: string, ...args: string[]): Promise<{ status: number | null; text: string }> {
  const path = join(root, 'node_modules/.bin', program);
  const { status, stdout, stderr } = await runProgram(path, args, { env: { ...process.env, NO_COLOR: '1' } });
  return { status, text: stdout + stderr };
}

describe('the tarball as the linters of packages see it', () => {
  it('has no fault and no warning of publint: every export exists and is in the format that it is said to be', async () => {
    const { status, text } = await judge('publint', 'run', await packedTarball(), '--strict');
    expect(text).toContain('All good!');
    expect(status).toBe(0);
  });

  it('has right types for every entry under node10, node16 from both kinds of modules, and bundlers', async () => {
    const { status, text } = await judge('attw', await packedTarball(), '--format', 'json');
    const { analysis, problems } = JSON.parse(text) as {
      analysis: { entrypoints: Record<string, { resolutions: Record<string, { resolution?: object }> }> };
      problems?: object;
    };
    expect(problems ?? {}).toEqual({});
    const entries = Object.entries(analysis.entrypoints).filter(([name]) => !name.includes('*'));
    const unresolved = entries.flatMap(([name, { resolutions }]) =>
      Object.entries(resolutions).flatMap(([kind, { resolution }]) =>
        resolution ? [] : [`${name} ${kind}`],
      ),
    );
    expect(entries.map(([name]) => name)).toEqual(
      expect.arrayContaining(['.', './client', './package.json']),
    );
    expect(unresolved).toEqual([]);
    expect(status).toBe(0);
  });
});
