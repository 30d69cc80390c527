import { useState } from 'preact/hooks';
import { keepChoice, keptChoice } from '../../data/kept-choice.js';
import type { ListedKey, Step, Trust, Wanted } from './step.js';

/** What a check that held leaves behind in this browser, for the next one to compare with. */
export interface Memory {
  keys: readonly ListedKey[];
  /** Whether the reader brought the key, or the service named it. */
  isGiven: boolean;
  oracle: string | undefined;
  head: { sequence: number; headerHash: string };
}

const storedUnder = 'fairlead-proof';

function recall(): Memory | undefined {
  try {
    const stored: unknown = JSON.parse(keptChoice(storedUnder) ?? 'null');
    const { keys, head } = Object(stored) as Partial<Memory>;
    return Array.isArray(keys) && typeof head?.headerHash === 'string' ? (stored as Memory) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What earlier visits left, with which this visit compares; what it finds itself is for the next one. */
export function useMemory() {
  const [before, setBefore] = useState(recall);
  return {
    before,
    keep: (memory: Memory) => keepChoice(storedUnder, JSON.stringify(memory)),
    forget() {
      keepChoice(storedUnder, 'null');
      setBefore(undefined);
    },
  };
}

/** The keys of a check: the reader's own, else those that the browser remembers, else those that the service names. */
export function trustOf(
  given: { publisher: ListedKey | null | undefined; oracle: ListedKey | null | undefined },
  before: Memory | undefined,
  listed: readonly ListedKey[],
): Trust {
  const common = { oracle: given.oracle?.publicKey ?? before?.oracle, head: before?.head };
  if (given.publisher) return { keys: [given.publisher], source: 'reader', ...common };
  if (before === undefined) return { keys: listed, source: 'service', ...common };
  return { keys: before.keys, source: before.isGiven ? 'readerBefore' : 'before', ...common };
}

/** What a check that held leaves behind: its keys, and the newest batch that those keys verify. */
export function memoryOf(steps: readonly Step[], { sequence }: Wanted, trust: Trust): Memory {
  const factOf = (label: string) =>
    steps.flatMap(({ facts }) => facts).find((each) => each.label === label)?.value;
  // The next check is held against these keys: they could never verify a batch that another key signed.
  const isByOtherKey = steps.some(({ why }) => why === 'other_own_key');
  const isHead = trust.head === undefined || isByOtherKey || sequence >= trust.head.sequence;
  return {
    keys: trust.keys,
    isGiven: trust.source === 'reader' || trust.source === 'readerBefore',
    oracle: trust.oracle ?? factOf('oracle'),
    head: isHead || !trust.head ? { sequence, headerHash: factOf('headerComputed') ?? '' } : trust.head,
  };
}
