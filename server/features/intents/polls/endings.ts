import type { Clock } from '../../../ports.js';
import type { IntentStore } from '../store.js';
import type { MakeProgress } from '../transition/progress.js';
import { removalOf } from '../transition/removal.rules.js';
import { transition } from '../transition/transition.rules.js';
import type { DueStore } from './due-store.js';
import { nextLookMs } from './next-look.rules.js';
import type { Run } from './polls.js';

const batchSize = 500;
/** An intent that its time did not end yet is looked at again after this long at the earliest. */
const againAfterMs = 60_000;

/**
 * Ends the anchor's due intents about which it is asked nothing. They emit no event, so each needs only one write. Anyone
 * can create very many of them, so they are written in batches.
 */
export type EndUnpolled = (anchorId: string, run: Pick<Run, 'counts' | 'mayGoOn'>) => Promise<void>;

export function createEndUnpolled(deps: {
  store: Pick<DueStore, 'listEndings'> & Pick<IntentStore, 'saveAllProgress'>;
  progress: MakeProgress;
  /** Whether payments are looked up on the ledger. */
  asksLedger: boolean;
  clock: Clock;
}): EndUnpolled {
  const { store, progress, clock } = deps;
  // The anchor was never seen to fail at them, so there is no failure whose grace period could end.
  const limits = { failureGraceMs: Number.POSITIVE_INFINITY, ledger: deps.asksLedger };

  return async (anchorId, { counts, mayGoOn }) => {
    while (mayGoOn()) {
      const nowMs = clock();
      const due = await store.listEndings(anchorId, new Date(nowMs), batchSize);
      if (due.length === 0) return;
      // A verdict makes an expiry count, so that its day has to be marked.
      for (const { _id, disputeEffect } of due)
        if (disputeEffect !== null)
          await progress(_id, { learned: null, pollable: false, polledAtMs: nowMs });
      const usual = due.filter(({ disputeEffect }) => disputeEffect === null);
      const changes = usual.map((before) => {
        const after = transition(before, null, nowMs, limits);
        if (after.outcome === null) {
          const nextMs = nextLookMs(after, nowMs, false, limits) ?? nowMs;
          const due = new Date(Math.max(nextMs, nowMs + againAfterMs));
          return { before, after: { ...before, due }, ends: false };
        }
        // A failed one whose transaction passed to its payer is only closed: nothing can complete it any more.
        const ends = before.status === 'pending';
        return { before, after: { ...after, removeAt: removalOf(after), open: false }, ends };
      });
      if (changes.length === 0) continue;
      const written = await store.saveAllProgress(changes);
      const ended = Math.min(written, changes.filter(({ ends }) => ends).length);
      counts.looked += ended;
      counts.expired += ended;
      if (due.length < batchSize || written === 0) return;
    }
  };
}
