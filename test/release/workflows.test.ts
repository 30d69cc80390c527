import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { expectFor } from '../support/expect-for.js';

const folder = new URL('../../.github/workflows/', import.meta.url);
const names = readdirSync(folder);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');

/** The faults that the parser of GitHub's own editors reports for a workflow. */
async function faultsOf(content: string): Promise<string[]> {
  const name = 'workflow.yml';
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const template = value === undefined ? undefined : await convertWorkflowTemplate(context, value);
  return [
    ...context.errors.getErrors().map(({ message }) => message),
    ...(template?.errors ?? []).map(({ Message }) => Message),
  ];
}

describe('a workflow of this repository', () => {
  it.each(names)('%s is one that GitHub accepts', async (name) => {
    expect(await faultsOf(read(name))).toEqual([]);
  });

  it.each([
    ['waits for a job that does not exist', 'needs: check\n', 'needs: chekc\n'],
    ['has a key that means nothing', 'runs-on:', 'runs-in:'],
    ['reads a context that does not exist', 'github.actor', 'githb.actor'],
    ['asks for a permission in a way that does not exist', 'id-token: write', 'id-token: wrote'],
  ])('is refused by this test where it %s', async (_what, right, wrong) => {
    const release = read('release.yml');
    expect(release).toContain(right);
    expect(await faultsOf(release.replace(right, wrong))).not.toEqual([]);
  });
});

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
}

interface Job {
  permissions?: Record<string, string>;
  needs?: string | string[];
  uses?: string;
  /** None where the job is another workflow. */
  steps?: Step[];
}

const { jobs } = parse(read('release.yml')) as { jobs: Record<string, Job> };

describe('the release', () => {
  it('is checked as every commit is before anything is made of it', () => {
    expect(jobs.check).toEqual({ uses: './.github/workflows/ci.yml' });
    const first = Object.entries(jobs).filter(([, { needs }]) => needs === 'check' || needs === undefined);
    expect(first.map(([name]) => name)).toEqual(['check', 'pack']);
  });

  it('runs no script of a package in a job that holds a token or may sign or write', () => {
    const trusted = Object.entries(jobs).filter(
      ([, { permissions = {}, steps = [] }]) =>
        Object.values(permissions).includes('write') ||
        steps.some(({ env = {} }) => JSON.stringify(env).includes('secrets.')),
    );
    expect(trusted.map(([name]) => name)).toEqual(['packages', 'image', 'release']);
    for (const [name, { steps = [] }] of trusted) {
      const runs = steps.map(({ run = '' }) => run).join('\n');
      expectFor(name, runs).not.toMatch(/\b(npm (ci|install|run|pack|exec)|npx)\b/);
      for (const [publish] of runs.matchAll(/npm publish.*/g))
        expectFor(name, publish).toContain('--ignore-scripts');
    }
  });

  it('publishes the packages that the registry does not have yet, so that it can be run again', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-publish-'));
    const write = (path: string, text: string) => writeFileSync(join(folder, path), text, { mode: 0o755 });
    for (const name of ['old', 'new']) {
      mkdirSync(join(folder, 'package'), { recursive: true });
      write('package/package.json', JSON.stringify({ name: `@fairlead/${name}`, version: '3.0.0' }));
      execFileSync('tar', ['-czf', `${name}.tgz`, 'package'], { cwd: folder });
    }
    mkdirSync(join(folder, 'bin'));
    // A registry that has @fairlead/old@3.0.0 and accepts whatever is published.
    write(
      'bin/npm',
      '#!/bin/sh\ncase "$1 $2" in\n"view @fairlead/old@3.0.0") echo 3.0.0 ;;\nview*) exit 1 ;;\n*) echo "npm $*" ;;\nesac\n',
    );
    const script = jobs.packages?.steps?.find(({ name }) => name === 'publish')?.run ?? '';
    const said = execFileSync('bash', ['-e', '-c', script], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
    });
    rmSync(folder, { recursive: true, force: true });
    expect(said.trim().split('\n')).toEqual([
      'npm publish ./new.tgz --ignore-scripts --provenance --access public',
      '@fairlead/old@3.0.0 is published already',
    ]);
  });
});
