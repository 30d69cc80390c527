import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { it } from '@jest/globals';
import { itWhere } from './it-where.js';
import { cannotInstall, runProgram } from './run-program.js';

/** The environment of `go`, which keeps modules and builds; go.mod and go.sum set the versions. */
export function goEnvironment(): NodeJS.ProcessEnv {
  const caches = { GOMODCACHE: toolchainCache('go-modules'), GOCACHE: toolchainCache('go-builds') };
  return { ...process.env, ...caches, GOFLAGS: '-modcacherw -buildvcs=false', GOTOOLCHAIN: 'local' };
}

/** The first run downloads packages and compiles generators. */
export const toolchainTimeoutMs = 8 * 60_000;

/**
 * Lets a toolchain download what it needs: false where no registry can be reached and not everything is cached. The download
 * must do nothing that could fail to connect for a reason of the client's own, such as running its tests.
 */
export async function canDownload(download: () => Promise<unknown>): Promise<boolean> {
  try {
    await download();
    return true;
  } catch (error) {
    if (error instanceof Error && cannotInstall.test(error.message)) return false;
    throw error;
  }
}

/** `it` where a toolchain is available. Else skipped, or failed where `FAIRLEAD_TOOLCHAINS` is `required`, as in CI. */
export function itWithToolchain(available: boolean, reason: string): typeof it {
  if (!available && process.env.FAIRLEAD_TOOLCHAINS === 'required') throw new Error(reason);
  return itWhere(available, reason);
}

/** The folder of one client under clients/. */
export function clientFolder(language: 'go' | 'python' | 'java'): string {
  return fileURLToPath(new URL(`../../clients/${language}/`, import.meta.url));
}

/** A folder under .cache for what a toolchain downloads or compiles: kept from one run to the next. */
export function toolchainCache(name: string): string {
  const folder = fileURLToPath(new URL(`../../.cache/toolchains/${name}/`, import.meta.url));
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Runs a command of a toolchain; throws what it printed where it fails. */
export async function runTool(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<string> {
  const ended = await runProgram(command, args, { ...options, timeoutMs: toolchainTimeoutMs });
  if (ended.status === 0) return ended.stdout;
  throw new Error(`${command} ${args.join(' ')} ended with ${ended.status}:\n${ended.stdout}${ended.stderr}`);
}
