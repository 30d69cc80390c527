import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Which of these processes opened the connection that comes from a local port to another; undefined if none of them did.
 * Linux knows it: all members connect from 127.0.0.1, and nothing that they send says which one it is.
 */
export function socketOwner(from: number, to: number, pids: readonly number[]): number | undefined {
  const inode = inodeOf(from, to);
  return inode === undefined ? undefined : pids.find((pid) => holdsSocket(pid, inode));
}

/** From /proc/net/tcp: `sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode …`, addresses in hex. */
function inodeOf(from: number, to: number): string | undefined {
  const [local, remote] = [from, to].map((port) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const fields = line.trim().split(/\s+/);
    if (fields[1]?.endsWith(local ?? '') && fields[2]?.endsWith(remote ?? '')) return fields[9];
  }
  return undefined;
}

function holdsSocket(pid: number, inode: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some(
      (fd) => linkOf(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`,
    );
  } catch {
    // The process has ended.
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // The descriptor was closed after it was listed.
    return '';
  }
}
