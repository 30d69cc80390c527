import {
  type UnavailableReason,
  type UnrankedReason,
  unavailableReasons,
} from '../../../contract/schemas/rates.js';
import { createOutageLog } from '../../outage-log.js';
import type { Clock, Logger } from '../../ports.js';
import type { Fleet } from '../anchors/fleet-file.rules.js';
import type { QuoteResult } from './answer.rules.js';

/** How asking an anchor ended: with a price of its own, with an estimate, or with the reason why there is no quote. */
export type QuoteOutcome = 'quoted' | 'estimated' | UnavailableReason;

const quoteOutcomes: readonly QuoteOutcome[] = [
  'quoted',
  'estimated',
  ...(Object.keys(unavailableReasons) as UnavailableReason[]),
];

/** Counts how asking each anchor ended. */
export interface QuoteMeter {
  /** Starts every counter of this anchor at 0. */
  expects(anchorId: string, outcomes: readonly string[]): void;
  asked(anchorId: string, outcome: string): void;
}

/** Makes an anchor that fails to quote visible to the operator. */
export interface QuoteWatch {
  saw(question: { anchorId: string; corridorId: string; isReference: boolean }, result: QuoteResult): void;
  /** Reports whether an anchor's quote for the reference amount is ranked. */
  judged(
    quote: { anchorId: string; corridorId: string; rate: string },
    unranked: UnrankedReason | null,
  ): void;
}

/** These say nothing about the anchor: our own call budget, our own pause after failures, our own FX reference. */
const saysNothing: readonly UnavailableReason[] = ['busy', 'circuit_open', 'no_fx'];

/**
 * Counts every outcome. Logs each change once per anchor and corridor, and only for the reference amount: that is asked for
 * regularly in the background, and clients cannot cause log lines by asking for odd amounts.
 */
export function createQuoteWatch(deps: {
  anchors: Fleet['anchors'];
  meter: QuoteMeter;
  clock: Clock;
  logger: Logger;
}): QuoteWatch {
  const { meter } = deps;
  for (const { id } of deps.anchors) meter.expects(id, quoteOutcomes);
  const outages = createOutageLog({
    ...deps,
    says: { failed: 'an anchor has no quote for the reference amount', worked: 'the anchor quotes again' },
  });
  const strays = createOutageLog({
    ...deps,
    says: {
      failed: 'the quote of an anchor is far from what others pay and is not ranked',
      worked: 'the quotes of the anchor are ranked again',
    },
  });

  return {
    judged({ anchorId, corridorId, rate }, unranked) {
      const key = `${anchorId} ${corridorId}`;
      const fields = { anchorId, corridor: corridorId, rate };
      if (unranked === null) strays.worked(key, fields);
      else strays.failed(key, { ...fields, reason: unranked });
    },
    saw({ anchorId, corridorId, isReference }, result) {
      const reason = 'reason' in result ? result.reason : undefined;
      meter.asked(anchorId, 'offer' in result ? outcomeOf(result.offer) : result.reason);
      if (!isReference || (reason !== undefined && saysNothing.includes(reason))) return;
      const key = `${anchorId} ${corridorId}`;
      const fields = { anchorId, corridor: corridorId };
      if (reason === undefined) outages.worked(key, fields);
      else outages.failed(key, { ...fields, reason });
    },
  };
}

function outcomeOf({ tier }: { tier: 'anchor' | 'estimate' }): QuoteOutcome {
  return tier === 'anchor' ? 'quoted' : 'estimated';
}
