import type { Wanted } from './check/evidence.js';
import type { Step } from './check/step.js';
import type { Memory, TrustedKeys } from './trust.js';

/** What a check that held leaves behind: its keys, and the newest batch that those keys verify. */
export function memoryOf(
  steps: readonly Step[],
  { sequence }: Wanted,
  { keys, source, oracle }: TrustedKeys,
  memory: Memory | undefined,
): Memory {
  const factOf = (label: string) =>
    steps.flatMap(({ facts }) => facts).find((each) => each.label === label)?.value;
  // The next check is held against these keys: they could never verify a batch that another key signed.
  const isByOtherKey = steps.some(({ opening }) => opening === 'other_own_key');
  const isHead = memory === undefined || isByOtherKey || sequence >= memory.head.sequence;
  return {
    at: new Date().toISOString(),
    keys: [...keys],
    isGiven: source === 'reader' || source === 'readerBefore',
    oracle: oracle ?? factOf('oracle'),
    head: isHead ? { sequence, headerHash: factOf('headerComputed') ?? '' } : memory.head,
  };
}
