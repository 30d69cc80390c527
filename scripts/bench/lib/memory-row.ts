import type { BenchRow } from './bench.js';
import { megabytes, ratio } from './figures.js';
import type { MemoryReading } from './programs/probe.js';

/**
 * What a process keeps, against what it kept once its bounded tables were full. Compared is what came since the start:
 * code and the fixed buffers of drivers would only make every ratio look like 1.
 */
export function memoryFigures(
  memory: MemoryReading,
  start: MemoryReading,
  full: MemoryReading,
): BenchRow['figures'] {
  const kept = memory.heapBytes - start.heapBytes;
  return {
    'kept since the start': megabytes(kept),
    'of the full': memory === start ? '' : ratio(kept, full.heapBytes - start.heapBytes),
    RSS: megabytes(memory.rssBytes),
    'RSS of the full': ratio(memory.rssBytes, full.rssBytes),
  };
}
