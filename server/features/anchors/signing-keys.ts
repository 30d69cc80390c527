import type { Logger } from '../../ports.js';
import type { AnchorDocument, AnchorStore } from './store.js';

/** The first key of each anchor. An anchor that shows another key later is refused until it shows the first again. */
export interface SigningKeys {
  load(anchors: readonly AnchorDocument[]): void;
  keyOf(anchorId: string): string | null;
  isRefused(anchorId: string): boolean;
  /** Checks the key that an anchor shows now; null means that it shows none, and changes nothing. */
  judge(anchorId: string, shown: string | null): Promise<void>;
}

export function createSigningKeys(deps: {
  store: Pick<AnchorStore, 'adoptSigningKey' | 'setRefusedKey'>;
  logger: Logger;
}): SigningKeys {
  const { store, logger } = deps;
  const known = new Map<string, { key: string | null; refused: string | null }>();

  function state(anchorId: string) {
    return known.get(anchorId) ?? { key: null, refused: null };
  }

  /** The first key of an anchor, unless another instance has stored one already; then that one counts. */
  function adopt(anchorId: string, shown: string): Promise<string> {
    known.set(anchorId, { key: shown, refused: null });
    return store.adoptSigningKey(anchorId, shown);
  }

  return {
    load(anchors) {
      for (const { _id, signingKey, refusedKey } of anchors) {
        known.set(_id, { key: signingKey, refused: refusedKey });
      }
    },
    keyOf: (anchorId) => state(anchorId).key,
    isRefused: (anchorId) => state(anchorId).refused !== null,
    async judge(anchorId, shown) {
      if (shown === null) return;
      const before = state(anchorId);
      // The decision is made in memory before the database is asked, so a changed key is refused from this moment on.
      const key = before.key ?? (await adopt(anchorId, shown));
      const refused = key === shown ? null : shown;
      known.set(anchorId, { key, refused });
      if (refused === before.refused) return;
      if (refused === null)
        logger.warn({ anchorId }, 'anchor shows its first signing key again and is served');
      else logger.error({ anchorId, key, shown }, 'anchor shows another signing key and is not served');
      await store.setRefusedKey(anchorId, refused);
    },
  };
}
