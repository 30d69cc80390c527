import { readFile } from 'node:fs/promises';

/** Linux counts a process's time in ticks of this length, whatever its kernel was built with. */
const tickMs = 10;

/** Milliseconds of processor time of any process, in steps of 10 ms; NaN where the system has no /proc. */
export async function processCpuMs(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return Number.NaN;
  // The name before the last parenthesis may hold anything; utime and stime are the 12th and 13th after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
