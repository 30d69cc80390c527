import type { Logger } from '../../ports.js';
import type { AnchorDocument, AnchorStore } from './store.js';

/** The first key of each anchor. An anchor that shows another key later is refused until it shows the first again. */
export function createSigningKeys(deps: {
  store: Pick<AnchorStore, 'adoptSigningKey' | 'setRefusedKey'>;
  homeDomainOf: (anchorId: string) => string | null;
  logger: Logger;
}) {
  const { store, homeDomainOf, logger } = deps;
  const known = new Map<string, { key: string | null; refused: string | null }>();
  const state = (anchorId: string) => known.get(anchorId) ?? { key: null, refused: null };

  return {
    load(anchors: readonly AnchorDocument[]): void {
      for (const { _id, signingKey, refusedKey } of anchors)
        known.set(_id, { key: signingKey, refused: refusedKey });
    },
    keyOf: (anchorId: string) => state(anchorId).key,
    isRefused: (anchorId: string) => state(anchorId).refused !== null,
    /** Checks the key that an anchor shows now, and stores what that decides. No key decides nothing. */
    async judge(anchorId: string, shown: string | null): Promise<void> {
      if (shown === null) return;
      const before = state(anchorId);
      // The decision is made in memory before the database is asked, so a changed key is refused from this moment on.
      const first = before.key ?? shown;
      known.set(anchorId, { key: first, refused: first === shown ? null : shown });
      // If another instance has already stored a first key, that one counts.
      const key = await store.adoptSigningKey(anchorId, first, homeDomainOf(anchorId));
      const refused = key === shown ? null : shown;
      known.set(anchorId, { key, refused });
      if (refused !== before.refused) {
        if (refused === null)
          logger.warn({ anchorId }, 'anchor shows its first signing key again and is served');
        else logger.error({ anchorId, key, shown }, 'anchor shows another signing key and is not served');
      }
      await store.setRefusedKey(anchorId, refused);
    },
  };
}
