import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { webArtifacts } from '../../fixtures/web/web-browser.js';
import { webService } from '../../fixtures/web/web-service.js';
import { cachedTool } from '../../support/cached-tool.js';
import { findChromium } from '../../support/chromium.js';
import { expectFor } from '../../support/expect-for.js';
import { itWhere } from '../../support/it-where.js';
import { runProgram } from '../../support/run-program.js';

/** Lighthouse brings two hundred packages, so it is installed outside the project, with a lock file of its own. */
const installed = await cachedTool(
  'lighthouse',
  ['package.json', 'package-lock.json'].map((name) => new URL(`lighthouse/pins/${name}`, import.meta.url)),
  (folder) => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    return runProgram('npm', ['ci', ...quiet], { cwd: folder, env });
  },
);
const chromium = findChromium();
const itInLighthouse = itWhere(
  installed !== undefined && chromium !== undefined,
  'no npm registry or no Chromium: Lighthouse',
);
const service = webService();

describe('what Lighthouse says of a page', () => {
  // The performance score is in the artifact but not a condition, since it depends on the machine and its load.
  itInLighthouse.each(['/', '/anchors', '/proof'])(
    '%s gets at least 95 of 100 from Lighthouse for accessibility and best practices, and for not moving while it loads',
    async (path) => {
      const scores = await lighthouse(path);
      for (const name of ['accessibility', 'best-practices', 'cumulative-layout-shift'])
        expectFor(name, scores[name]).toBeGreaterThanOrEqual(0.95);
      expect(scores.performance).toBeGreaterThan(0);
    },
    150_000,
  );
});

/** Lighthouse's scores of a page, from 0 to 1: those of the categories, and that for layout shifts. */
async function lighthouse(path: string): Promise<Record<string, number>> {
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  const args = [
    `${service.it.app.url}${path}`,
    '--output=json',
    '--quiet',
    '--preset=desktop',
    '--only-categories=performance,accessibility,best-practices',
    `--chrome-flags=${flags.join(' ')}`,
  ];
  const program = join(installed ?? '', 'node_modules/.bin/lighthouse');
  const env = { ...process.env, CHROME_PATH: chromium };
  const { status, stdout, stderr } = await runProgram(program, args, { env, timeoutMs: 120_000 });
  if (status !== 0) throw new Error(`Lighthouse ended with ${status}: ${stderr}`);
  const name = path === '/' ? 'home' : path.slice(1);
  mkdirSync(webArtifacts, { recursive: true });
  writeFileSync(join(webArtifacts, `lighthouse-${name}.json`), stdout);
  const { categories, audits } = JSON.parse(stdout) as Record<string, Record<string, { score: number }>>;
  const shift = audits?.['cumulative-layout-shift'];
  const scores = { ...categories, ...(shift && { 'cumulative-layout-shift': shift }) };
  return Object.fromEntries(Object.entries(scores).map(([name, { score }]) => [name, score]));
}
