/** A day of an anchor's outcomes in a corridor: what is counted at one time. */
export interface OutcomeDay {
  anchorId: string;
  corridor: string;
  /** UTC, `2026-11-21`. */
  day: string;
}

/** The members of an intent that decide on which day it may count. */
interface State {
  anchorId: string;
  corridor: string;
  outcome: { kind: 'settled' | 'failed' | 'expired'; recordedAt: Date } | null;
  disputeEffect: string | null;
}

/** Intents below this many units of stablecoin count nowhere. */
export const leastAmount = '10';

/** Without a verdict, an expiry counts nowhere; anybody can cause very many of them. */
export function mayCount({ outcome, disputeEffect }: Pick<State, 'outcome' | 'disputeEffect'>): boolean {
  return outcome !== null && (outcome.kind !== 'expired' || disputeEffect !== null);
}

/** The days that have to be counted again after an intent was in each of these states. */
export function daysOf(...states: State[]): OutcomeDay[] {
  const days = new Map<string, OutcomeDay>();
  for (const { anchorId, corridor, outcome, disputeEffect } of states) {
    if (outcome === null || !mayCount({ outcome, disputeEffect })) continue;
    const day = { anchorId, corridor, day: utcDay(outcome.recordedAt) };
    days.set(keyOfDay(day), day);
  }
  return [...days.values()];
}

/** The UTC day of an instant, such as `2026-11-21`. */
export function utcDay(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** Tells days apart. */
export function keyOfDay({ anchorId, corridor, day }: OutcomeDay): string {
  return `${anchorId} ${corridor} ${day}`;
}
