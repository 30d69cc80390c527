import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { pythonTools } from '../support/installed-tools.js';
import { runProgram } from '../support/run-program.js';
import { itWithToolchain } from '../support/toolchains.js';

const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
const python = await pythonTools('deploy-tools', new URL('requirements.txt', import.meta.url));
const itChecked = itWithToolchain(python !== undefined, 'no python3 or no PyPI: the Dockerfile');

const lint = (text: string) =>
  runProgram(join(python ?? '', 'bin/hadolint'), ['--no-color', '-'], { input: text });

describe('the Dockerfile', () => {
  itChecked('has nothing that hadolint finds', async () => {
    expect(await lint(dockerfile)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  for (const [what, was, is] of [
    ['a base without a version', /^FROM node:\S+$/m, 'FROM node'],
    ['the latest of a base', /^FROM node:\S+$/m, 'FROM node:latest'],
    ['a relative folder to work in', /^WORKDIR \/app$/m, 'WORKDIR app'],
    ['root as its user', /^USER .*$/m, 'USER root'],
    ['a command in a shell', /^CMD \["node".*$/m, 'CMD node dist/server/main.js'],
  ] as const)
    itChecked(`is refused with ${what}`, async () => {
      expect(dockerfile).toMatch(was);
      expect((await lint(dockerfile.replace(was, is))).status).not.toBe(0);
    });
});
