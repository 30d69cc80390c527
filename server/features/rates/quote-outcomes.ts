import { type UnavailableReason, unavailableReasons } from '../../../contract/schemas/rates.js';
import { createOutageLog } from '../../logger.js';
import type { Clock, Logger } from '../../ports.js';
import type { Fleet } from '../anchors/fleet-file.rules.js';
import type { QuoteResult } from './offer.rules.js';
import { type AnchorQuestion, isReferenceQuestion } from './question.rules.js';

/** Counts how asking each anchor ended: with a price of its own, with an estimate, or with the reason for neither. */
export interface QuoteMeter {
  /** Starts every counter of this anchor at 0. */
  expects(anchorId: string, outcomes: readonly string[]): void;
  asked(anchorId: string, outcome: string): void;
}

/** Makes an anchor that fails to quote visible to the operator. */
export type NoteOutcome = (question: AnchorQuestion, result: QuoteResult) => void;

/** These say nothing new about the anchor: our own call budget, our own pause after failures. */
const saysNothing: readonly UnavailableReason[] = ['busy', 'circuit_open'];

/**
 * Counts every outcome. Logs each change once per anchor and corridor, and only for the reference amount: that is asked for
 * regularly in the background, and clients cannot cause log lines by asking for odd amounts.
 */
export function createNoteOutcome(deps: {
  anchors: Fleet['anchors'];
  meter: QuoteMeter;
  clock: Clock;
  logger: Logger;
}): NoteOutcome {
  const outcomes = ['quoted', 'estimated', ...Object.keys(unavailableReasons)];
  for (const { id } of deps.anchors) deps.meter.expects(id, outcomes);
  const outages = createOutageLog({
    ...deps,
    says: { failed: 'an anchor has no quote for the reference amount', worked: 'the anchor quotes again' },
  });

  return (question, result) => {
    const about = { anchorId: question.anchor.id, corridor: question.corridor.id };
    const reason = 'reason' in result ? result.reason : undefined;
    deps.meter.asked(about.anchorId, 'offer' in result ? outcomeOf(result.offer) : result.reason);
    if (!isReferenceQuestion(question) || (reason !== undefined && saysNothing.includes(reason))) return;
    const key = `${about.anchorId} ${about.corridor}`;
    if (reason === undefined) outages.worked(key, about);
    else outages.failed(key, { ...about, reason });
  };
}

function outcomeOf({ tier }: { tier: 'anchor' | 'estimate' }): string {
  return tier === 'anchor' ? 'quoted' : 'estimated';
}
