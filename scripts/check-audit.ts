/** Reports packages of the lockfile with known faults. Ends with 1 on a `high` or `critical` one. */
import { spawnSync } from 'node:child_process';
import { isMain } from '../server/is-main.js';

interface Audit {
  metadata?: { vulnerabilities?: Record<string, number> };
  message?: string;
}

/** What `npm audit --json` said, in one line, and whether it is a fault. */
export function judgeAudit(output: string): { line: string; failed: boolean } {
  const { metadata, message = 'no answer' } = parsed(output);
  const counts = metadata?.vulnerabilities;
  if (counts === undefined)
    return { line: `npm audit: the registry does not answer (${message}); not checked`, failed: false };
  const { high = 0, critical = 0, total = 0 } = counts;
  return {
    line: `npm audit: ${total} known faults, ${high} high, ${critical} critical${high + critical > 0 ? ' (npm audit shows them)' : ''}`,
    failed: high + critical > 0,
  };
}

function parsed(output: string): Audit {
  try {
    return JSON.parse(output) as Audit;
  } catch {
    return {};
  }
}

function run(): void {
  const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8', timeout: 120_000 });
  const { line, failed } = judgeAudit(stdout ?? '');
  console.log(line);
  if (failed) process.exitCode = 1;
}

if (isMain(import.meta.url)) run();
