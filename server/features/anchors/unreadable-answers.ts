import type { AnchorAnswer, AnchorDocumentKind } from '../../../contract/schemas/anchors.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';

/**
 * The latest document of each kind that could not be read. `/api/anchors/{anchor}` shows them, so that the anchor can
 * correct them.
 */
export function createUnreadableAnswers(deps: { clock: Clock; logger: Logger }) {
  /** At most one for each kind of document of each anchor of the fleet. */
  const latest = new Map<string, Map<AnchorDocumentKind, { what: string; atMs: number }>>();
  return {
    /** `what` names the member or the line. It is logged when it changes. */
    note(anchorId: string, document: AnchorDocumentKind, what: string): void {
      const known = latest.get(anchorId) ?? new Map();
      latest.set(anchorId, known);
      if (known.get(document)?.what !== what)
        deps.logger.warn({ anchorId, document, what }, 'what the anchor wrote cannot be read');
      known.set(document, { what, atMs: deps.clock() });
    },
    of(anchorId: string): AnchorAnswer['unreadable'] {
      const found = [...(latest.get(anchorId) ?? [])];
      return found.map(([document, { what, atMs }]) => ({ document, what, at: toInstant(atMs) }));
    },
  };
}
