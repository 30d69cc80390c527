import type { Logger } from '../../ports.js';
import type { AnchorDocument } from './store.js';

/** The first key of each anchor. An anchor that shows another key later is refused until it shows the first again. */
export interface SigningKeys {
  load(anchors: readonly AnchorDocument[]): void;
  keyOf(anchorId: string): string | null;
  isRefused(anchorId: string): boolean;
  /** How often an anchor began or ceased to be refused. */
  refusalChanges(): number;
  /**
   * Checks the key that an anchor shows now. Resolves to the key if the anchor is refused for it, to null if it is not
   * refused: the caller stores that, after each reading, since other instances store theirs, too. If the anchor shows
   * no key (null), nothing changes, and the result is undefined.
   */
  judge(anchorId: string, shown: string | null): Promise<string | null | undefined>;
}

interface Known {
  key: string | null;
  refused: string | null;
  /** The key if it is known to be stored. A failed write is repeated when the anchor is judged again. */
  storedKey: string | null;
}

const nothingKnown: Known = { key: null, refused: null, storedKey: null };

export function createSigningKeys(deps: {
  /** Stores the first key of an anchor. Returns the key that counts: another instance may have stored one before. */
  adoptKey: (anchorId: string, key: string) => Promise<string>;
  logger: Logger;
}): SigningKeys {
  const { adoptKey, logger } = deps;
  const known = new Map<string, Known>();
  let refusalChanges = 0;

  function state(anchorId: string): Known {
    return known.get(anchorId) ?? nothingKnown;
  }

  function note(anchorId: string, change: Partial<Known>): void {
    const before = state(anchorId);
    const after = { ...before, ...change };
    known.set(anchorId, after);
    if ((before.refused === null) !== (after.refused === null)) refusalChanges += 1;
  }

  return {
    load(anchors) {
      for (const { _id, signingKey, refusedKey } of anchors)
        known.set(_id, { key: signingKey, refused: refusedKey, storedKey: signingKey });
    },
    keyOf: (anchorId) => state(anchorId).key,
    isRefused: (anchorId) => state(anchorId).refused !== null,
    refusalChanges: () => refusalChanges,
    async judge(anchorId, shown) {
      if (shown === null) return undefined;
      const before = state(anchorId);
      // The decision is made in memory before the database is asked, so a changed key is refused from this moment on.
      const first = before.key ?? shown;
      note(anchorId, { key: first, refused: first === shown ? null : shown });
      // If another instance has already stored a first key, that one counts.
      const key = before.storedKey ?? (await adoptKey(anchorId, first));
      const refused = key === shown ? null : shown;
      note(anchorId, { key, refused, storedKey: key });
      if (refused !== before.refused) {
        if (refused === null)
          logger.warn({ anchorId }, 'anchor shows its first signing key again and is served');
        else logger.error({ anchorId, key, shown }, 'anchor shows another signing key and is not served');
      }
      return refused;
    },
  };
}
