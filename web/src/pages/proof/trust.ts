import type { ListedKey, Source } from './check/evidence.js';

/** What a check that held leaves behind in this browser, for the next one to compare with. */
export interface Memory {
  /** When it was made. */
  at: string;
  keys: ListedKey[];
  /** Whether the reader brought the key, or the service named it. */
  isGiven: boolean;
  oracle: string | undefined;
  head: { sequence: number; headerHash: string };
}

export interface TrustedKeys {
  keys: readonly ListedKey[];
  source: Source;
  /** `G…` of the oracle; undefined where none is known yet. */
  oracle: string | undefined;
  /** Whether the reader entered a key that is none: it is not used. */
  hasUnusable: boolean;
}

/** The keys that the reader brought; null if the text is not a key. */
interface Given {
  publisher: ListedKey | null | undefined;
  oracle: ListedKey | null | undefined;
}

export function trustedKeys(
  given: Given,
  memory: Pick<Memory, 'keys' | 'isGiven' | 'oracle'> | undefined,
  listed: readonly ListedKey[],
): TrustedKeys {
  const common = {
    oracle: given.oracle?.publicKey ?? memory?.oracle,
    hasUnusable: given.publisher === null || given.oracle === null,
  };
  if (given.publisher) return { keys: [given.publisher], source: 'reader', ...common };
  if (memory === undefined) return { keys: listed, source: 'service', ...common };
  return { keys: memory.keys, source: memory.isGiven ? 'readerBefore' : 'before', ...common };
}
