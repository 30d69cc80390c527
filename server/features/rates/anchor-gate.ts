import type { UnavailableReason } from '../../../contract/schemas/rates.js';
import type { Clock } from '../../ports.js';
import {
  admit,
  afterFailure,
  afterNothing,
  afterSuccess,
  type BreakerState,
  type BudgetLimits,
  type BudgetState,
  callEnded,
  closedBreaker,
  freshBudget,
  type Priority,
  pauseCalls,
  takeCall,
} from './anchor-gate.rules.js';

/** What a call says about the anchor's health. */
export type Health = 'well' | 'failing' | 'unknown';

export interface GatedCall<T> {
  value: T;
  health: Health;
  /** The anchor asked for a pause (429), with its Retry-After if it gave one. */
  pause?: { retryAfter: string | undefined };
}

/** Decides for every anchor whether it may be called now, by its circuit breaker and its budget of calls. */
export interface AnchorGate {
  /** Makes the call, or returns the reason why it may not be made now. */
  run<T>(
    anchorId: string,
    priority: Priority,
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
  /** One entry per anchor of the fleet. */
  const states = new Map<string, AnchorState>();

  function stateOf(anchorId: string): AnchorState {
    const known = states.get(anchorId) ?? { breaker: closedBreaker, budget: freshBudget };
    states.set(anchorId, known);
    return known;
  }

  return {
    async run(anchorId, priority, call) {
      const state = stateOf(anchorId);
      const breaker = admit(state.breaker, clock());
      if (!breaker.admitted) return { made: false, reason: 'circuit_open' };
      const budget = takeCall(state.budget, priority, limits, clock());
      state.budget = budget.state;
      // If this call was to be the breaker's trial, a later call that the budget allows becomes it.
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
        const about = { reference: priority === 'reference', nowMs: clock() };
        if (health === 'well') state.breaker = afterSuccess(state.breaker, about);
        else if (health === 'failing') state.breaker = afterFailure(state.breaker, about);
        else state.breaker = afterNothing(state.breaker);
      }
    },
  };
}
