import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { runProgram } from '../support/run-program.js';

const cwd = fileURLToPath(new URL('../../', import.meta.url));

it('soaks a real service for a quarter of a minute, finds nothing that piles up, and fails since fewer clients came than were meant to', async () => {
  const env = {
    ...process.env,
    BENCH_SECONDS: '1',
    BENCH_SOAK_MINUTES: '0.25',
    BENCH_SOAK_RATE: '20',
  };
  const { status, stdout, stderr } = await runProgram('npm', ['run', '--silent', 'bench', '--', 'soak'], {
    cwd,
    env,
    timeoutMs: 200_000,
  });
  // The soak requires a million requests, so 300 fail at least these checks.
  const said = expect.stringContaining('soak: does not hold: distinct client addresses; distinct amounts');
  expect({ status, stderr }).toEqual({ status: 1, stderr: said });
  const checks = [...(stdout.split('### checks')[1] ?? '').matchAll(/^\| (.+?) +\|.*\| +(.+?) \|$/gm)];
  const broken = checks.flatMap(([, what = '', result]) => (result === 'DOES NOT HOLD' ? [what] : []));
  expect(checks.length).toBeGreaterThan(15);
  // These checks may fail: caches are still filling, and the durations depend on the machine.
  const allowed = new Set([
    'distinct client addresses',
    'distinct amounts',
    'resident memory of the service, MB',
    'p50, ms',
    'p99, ms',
    'p99 of registrations, ms',
  ]);
  expect(broken.filter((what) => !allowed.has(what))).toEqual([]);
}, 240_000);
