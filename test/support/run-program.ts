import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface Ended {
  /** null where it was killed for taking too long. */
  status: number | null;
  stdout: string;
  stderr: string;
}

/** The messages of npm, pip, go and Maven without a reachable registry, and of Python where it cannot make an environment. */
export const cannotInstall =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|NewConnectionError|Connect(ion)?Timeout|ProxyError|dial tcp|no such host|ensurepip|Temporary failure in name resolution|Unknown host|Connect to .* failed|Connection (refused|timed out)/;

const usualTimeoutMs = 120_000;

/** Runs a program to its end without blocking this process, which may be running a service for it. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string; timeoutMs?: number } = {},
): Promise<Ended> {
  const { input = '', timeoutMs = usualTimeoutMs, ...rest } = options;
  const child = spawn(command, args, { ...rest, timeout: timeoutMs, stdio: 'pipe' });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [status, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { status, stdout, stderr };
}
