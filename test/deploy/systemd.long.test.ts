import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect } from '@jest/globals';
import { itWhere, runsHere } from '../support/it-where.js';
import { runProgram } from '../support/run-program.js';

const unit = readFileSync(
  fileURLToPath(new URL('../../deploy/systemd/fairlead.service', import.meta.url)),
  'utf8',
  // The path of Node on the machine that runs the tests.
).replaceAll('/usr/bin/node', process.execPath);
const itWithSystemd = itWhere(
  runsHere('systemd-analyze', '--version'),
  'no systemd-analyze: the unit of systemd',
);
const folder = mkdtempSync(join(tmpdir(), 'fairlead-systemd-'));
const file = join(folder, 'fairlead.service');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What systemd reports about a unit: for an unknown key it prints a line, but does not fail. */
async function verify(text: string) {
  writeFileSync(file, text);
  const { status, stdout, stderr } = await runProgram('systemd-analyze', ['verify', '--man=no', file]);
  return { status, says: stdout + stderr };
}

/** Whether the unit's exposure is at most this: 0 means that it may do nothing, 100 everything. */
async function confined(text: string, threshold: number): Promise<boolean> {
  writeFileSync(file, text);
  const options = ['--offline=true', `--threshold=${threshold}`, '--no-pager'];
  return (await runProgram('systemd-analyze', ['security', ...options, file])).status === 0;
}

describe('the unit of systemd', () => {
  itWithSystemd('has nothing that systemd does not know or would ignore', async () => {
    expect(await verify(unit)).toEqual({ status: 0, says: '' });
  });

  for (const [what, was, is] of [
    ['a key that there is not', 'ProtectSystem=', 'ProtectSytem='],
    ['a value that a key does not have', 'ProtectSystem=strict', 'ProtectSystem=stricter'],
    ['a time that is none', 'TimeoutStopSec=60', 'TimeoutStopSec=a minute or so'],
    ['a program that is not there', `ExecStart=${process.execPath}`, 'ExecStart=/usr/bin/nodes'],
    ['a system call that there is not', '=@system-service', '=@system-services'],
  ] as const)
    itWithSystemd(`is seen to have ${what}`, async () => {
      expect(unit).toContain(was);
      expect((await verify(unit.replace(was, is))).says).not.toBe('');
    });

  itWithSystemd('leaves the service little that it may do on its machine', async () => {
    expect(await confined(unit, 20)).toBe(true);
  });

  for (const line of [
    'RestrictNamespaces=yes',
    'CapabilityBoundingSet=',
    'SystemCallFilter=@system-service',
    'DynamicUser=yes',
  ])
    itWithSystemd(`is seen to leave more without ${line}`, async () => {
      expect(unit).toContain(`\n${line}\n`);
      expect(await confined(unit.replace(`\n${line}\n`, '\n'), 15)).toBe(false);
    });

  itWithSystemd('gives a stop more time than it takes, and a start as much as the migration takes', () => {
    const secondsOf = (key: string) => Number(new RegExp(`^${key}=(\\d+)$`, 'm').exec(unit)?.[1]);
    // DRAIN_SECONDS in production plus thirty (docs/operations/deploy.md).
    expect(secondsOf('TimeoutStopSec')).toBeGreaterThan(10 + 30);
    expect(unit).toMatch(/^TimeoutStartSec=infinity$/m);
    expect(unit).toMatch(/^ExecStartPre=\S+ dist\/server\/migrate\.js$/m);
  });
});
