import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ended, runProgram } from './run-program.js';

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));

/** The messages of npm, pip and go without a reachable registry, and of Python where it cannot create an environment. */
const cannotInstall =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|NewConnectionError|Connect(ion)?Timeout|ProxyError|dial tcp|no such host|ensurepip/;

/**
 * The folder in .cache in which a tool is installed; undefined where this machine cannot install it. The name changes with
 * the files that pin its versions, which are copied into it. An unfinished installation is started again.
 */
export async function cachedTool(
  name: string,
  pins: readonly URL[],
  install: (folder: string) => Promise<Ended>,
): Promise<string | undefined> {
  const hash = createHash('sha256');
  for (const pin of pins) hash.update(readFileSync(pin));
  const folder = join(cache, `${name}-${hash.digest('hex').slice(0, 16)}`);
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const pin of pins) copyFileSync(pin, join(folder, basename(pin.pathname)));
  const { status, stdout, stderr } = await install(folder);
  if (status !== 0 && cannotInstall.test(stdout + stderr)) return undefined;
  if (status !== 0) throw new Error(`${name} was not installed: ${stdout}${stderr}`);
  writeFileSync(complete, '');
  return folder;
}

/** Runs programs one after the other; ends with the first that fails. */
export async function runEach(commands: readonly [string, ...string[]][], cwd: string): Promise<Ended> {
  let ended: Ended = { status: 0, stdout: '', stderr: '' };
  for (const [program, ...args] of commands) {
    ended = await runProgram(program, args, { cwd });
    if (ended.status !== 0) break;
  }
  return ended;
}
