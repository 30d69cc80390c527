import { useState } from 'preact/hooks';
import { keepChoice, keptChoice } from '../../data/kept-choice.js';
import type { Memory } from './trust.js';

const storedUnder = 'fairlead-proof';

function recall(): Memory | undefined {
  try {
    const stored: unknown = JSON.parse(keptChoice(storedUnder) ?? 'null');
    return isMemory(stored) ? stored : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What another version of the page stored may have another form. */
function isMemory(stored: unknown): stored is Memory {
  const { at, keys, head } = Object(stored) as Partial<Memory>;
  return typeof at === 'string' && Array.isArray(keys) && typeof Object(head).headerHash === 'string';
}

export interface Memories {
  /** From earlier visits: checks compare with it, and this visit does not change it. */
  before: Memory | undefined;
  /** What the next visit will find. */
  now: Memory | undefined;
  keep: (memory: Memory) => void;
  forget: () => void;
}

export function useMemories(): Memories {
  const [before, setBefore] = useState(recall);
  const [now, setNow] = useState(before);
  return {
    before,
    now,
    keep(memory) {
      keepChoice(storedUnder, JSON.stringify(memory));
      setNow(memory);
    },
    forget() {
      keepChoice(storedUnder, 'null');
      setBefore(undefined);
      setNow(undefined);
    },
  };
}
