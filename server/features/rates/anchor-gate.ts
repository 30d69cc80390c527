import { setTimeout as delay } from 'node:timers/promises';
import type { UnavailableReason } from '../../../contract/schemas/rates.js';
import type { Clock } from '../../ports.js';
import {
  admit,
  afterFailure,
  afterNothing,
  afterSuccess,
  type BreakerState,
  type BudgetLimits,
  type BudgetPart,
  type BudgetState,
  callEnded,
  closedBreaker,
  freshBudget,
  type IntentTurn,
  inTurnOrder,
  type Priority,
  pauseCalls,
  recentTurns,
  takeCall,
  type Waiting,
} from './anchor-gate.rules.js';

/** What a call says about the anchor's health. */
export type Health = 'well' | 'failing' | 'unknown';

export interface GatedCall<T> {
  value: T;
  health: Health;
  /** The anchor asked for a pause (429), with its Retry-After if it gave one. */
  pause?: { retryAfter: string | undefined };
}

/** The anchor to call, and the purpose of the call. */
export type Caller =
  | { anchorId: string; priority: Exclude<Priority, 'intent'> }
  /** `client`: the client that registers the intent. */
  | { anchorId: string; priority: 'intent'; client: string };

/** How long an intent waits for its turn if the budget is used up; all other calls are refused at once. */
export const intentPatienceMs = 2_000;
const turnStepMs = 100;
/** Waiting intents per anchor. Those behind them in the order of turns are refused. */
const mostWaiting = 32;

/** Decides for every anchor whether it may be called now, by its circuit breaker and its budget of calls. */
export interface AnchorGate {
  /** Makes the call, or returns the reason why it may not be made now. */
  run<T>(
    caller: Caller,
    call: () => Promise<GatedCall<T>>,
  ): Promise<
    { made: true; value: T } | { made: false; reason: Extract<UnavailableReason, 'busy' | 'circuit_open'> }
  >;
}

interface AnchorState {
  breaker: BreakerState;
  budget: BudgetState;
  /** Intents that wait for a call, in the order of their arrival. */
  waiting: Waiting[];
  turns: IntentTurn[];
}

export function createAnchorGate(deps: {
  clock: Clock;
  limits: BudgetLimits;
  /** Resolves after this many milliseconds of the clock. */
  wait?: (ms: number) => Promise<unknown>;
}): AnchorGate {
  const { clock, limits, wait = delay } = deps;
  /** One entry per anchor of the fleet. */
  const states = new Map<string, AnchorState>();

  function stateOf(anchorId: string): AnchorState {
    const fresh = { breaker: closedBreaker, budget: freshBudget, waiting: [], turns: [] };
    const known = states.get(anchorId) ?? fresh;
    states.set(anchorId, known);
    return known;
  }

  function take(state: AnchorState, priority: Priority): BudgetPart | undefined {
    const { from, state: budget } = takeCall(state.budget, priority, limits, clock());
    state.budget = budget;
    return from;
  }

  /** Waits until this intent is next in turn and the budget has a call; undefined if it is refused or waited too long. */
  async function takeInTurn(state: AnchorState, client: string): Promise<BudgetPart | undefined> {
    const own: Waiting = { client };
    state.waiting.push(own);
    for (let waitedMs = 0; waitedMs <= intentPatienceMs; waitedMs += turnStepMs) {
      state.turns = recentTurns(state.turns, clock());
      const order = inTurnOrder(state.waiting, state.turns);
      if (order.indexOf(own) >= mostWaiting) break;
      const from = order[0] === own ? take(state, 'intent') : undefined;
      if (from !== undefined) {
        state.turns.push({ client, at: clock() });
        state.waiting = state.waiting.filter((each) => each !== own);
        return from;
      }
      await wait(turnStepMs);
    }
    state.waiting = state.waiting.filter((each) => each !== own);
    return undefined;
  }

  return {
    async run(caller, call) {
      const state = stateOf(caller.anchorId);
      if (!admit(state.breaker, clock()).admitted) return { made: false, reason: 'circuit_open' };
      const { priority } = caller;
      const from = priority === 'intent' ? await takeInTurn(state, caller.client) : take(state, priority);
      // If this call was to be the breaker's trial, a later call that the budget allows becomes it.
      if (from === undefined) return { made: false, reason: 'busy' };
      const breaker = admit(state.breaker, clock());
      if (!breaker.admitted) {
        state.budget = callEnded(state.budget, from);
        return { made: false, reason: 'circuit_open' };
      }
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
        state.budget = callEnded(state.budget, from);
        const about = { reference: priority === 'reference', nowMs: clock() };
        if (health === 'well') state.breaker = afterSuccess(state.breaker, about);
        else if (health === 'failing') state.breaker = afterFailure(state.breaker, about);
        else state.breaker = afterNothing(state.breaker);
      }
    },
  };
}
