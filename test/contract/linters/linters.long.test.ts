import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { cachedTool } from '../../support/cached-tool.js';
import { itWhere } from '../../support/it-where.js';
import { runProgram } from '../../support/run-program.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const here = 'test/contract/linters/';
const documents = ['docs/openapi.json', 'docs/openapi.client.json'];

/** Both linters bring 240 packages, so they are installed outside the project, with a lock file of their own. */
const installed = await cachedTool(
  'openapi-linters',
  ['package.json', 'package-lock.json'].map((name) => new URL(`pins/${name}`, import.meta.url)),
  (folder) => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    return runProgram('npm', ['ci', ...quiet], { cwd: folder, env });
  },
);
const itInstalled = itWhere(installed !== undefined, 'no npm registry: the linters of the OpenAPI document');
const program = (name: string) => join(installed ?? '', 'node_modules/.bin', name);

itInstalled(
  'Spectral finds nothing in either document by its rules for OpenAPI',
  async () => {
    const args = ['lint', ...documents, '--ruleset', `${here}spectral.yaml`, '--fail-severity', 'hint'];
    const { status, stdout } = await runProgram(program('spectral'), args, { cwd: root });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining("No results with a severity of 'hint' or higher found!"),
    });
  },
  180_000,
);

itInstalled(
  'Redocly finds nothing in either document by its recommended rules',
  async () => {
    const args = ['lint', ...documents, '--config', `${here}redocly.yaml`, '--format', 'stylish'];
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { status, stdout, stderr } = await runProgram(program('redocly'), args, { cwd: root, env });
    expect({ status, output: stdout + stderr }).toEqual({
      status: 0,
      output: expect.stringMatching(/Your API descriptions are valid/),
    });
    // The program exits with 0 despite warnings.
    expect(stdout + stderr).not.toMatch(/You have \d+ (warning|problem)/);
  },
  180_000,
);
