import type { UnavailableReason } from '../../../contract/schemas/rates.js';
import type { Clock } from '../../ports.js';
import {
  admit,
  afterFailure,
  afterNothing,
  afterSuccess,
  type BreakerState,
  closedBreaker,
} from './breaker.rules.js';
import {
  type BudgetLimits,
  type BudgetState,
  callEnded,
  freshBudget,
  type Lane,
  pauseCalls,
  takeCall,
} from './call-budget.rules.js';

/** What a call says of the anchor's health. */
export type Health = 'well' | 'failing' | 'unknown';

export interface GatedCall<T> {
  value: T;
  health: Health;
  /** The anchor asked for a pause (429), with its Retry-After if it gave one. */
  pause?: { retryAfter: string | undefined };
}

/** Breaker and call budget of every anchor: what may be called now, and what came of it. */
export interface AnchorGate {
  /** Runs `call`, or says why it may not be made now. */
  run<T>(
    anchorId: string,
    lane: Lane,
    call: () => Promise<GatedCall<T>>,
  ): Promise<
    { made: true; value: T } | { made: false; reason: Extract<UnavailableReason, 'busy' | 'circuit_open'> }
  >;
}

interface AnchorState {
  breaker: BreakerState;
  budget: BudgetState;
}

export function createAnchorGate(deps: { clock: Clock; limits: BudgetLimits }): AnchorGate {
  const { clock, limits } = deps;
  /** As many entries as the fleet has anchors. */
  const states = new Map<string, AnchorState>();

  function stateOf(anchorId: string): AnchorState {
    const known = states.get(anchorId) ?? { breaker: closedBreaker, budget: freshBudget };
    states.set(anchorId, known);
    return known;
  }

  return {
    async run(anchorId, lane, call) {
      const state = stateOf(anchorId);
      const breaker = admit(state.breaker, clock());
      if (!breaker.admitted) return { made: false, reason: 'circuit_open' };
      const budget = takeCall(state.budget, lane, limits, clock());
      state.budget = budget.state;
      // The breaker's trial, if this was to be it, is left for a call that can be made.
      if (!budget.taken) return { made: false, reason: 'busy' };
      state.breaker = breaker.state;
      let health: Health = 'unknown';
      try {
        const outcome = await call();
        health = outcome.health;
        if (outcome.pause !== undefined) {
          state.budget = pauseCalls(state.budget, outcome.pause.retryAfter, clock());
        }
        return { made: true, value: outcome.value };
      } finally {
        state.budget = callEnded(state.budget);
        const about = { reference: lane === 'reference', nowMs: clock() };
        if (health === 'well') state.breaker = afterSuccess(state.breaker, about);
        else if (health === 'failing') state.breaker = afterFailure(state.breaker, about);
        else state.breaker = afterNothing(state.breaker);
      }
    },
  };
}
