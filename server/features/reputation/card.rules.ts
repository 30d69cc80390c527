import type { AnchorSummary } from '../../../contract/schemas/anchors.js';
import type { HistoryPoint } from '../../../contract/schemas/reputation.js';
import {
  type CardSigns,
  type CardVerification,
  type cardRecord,
  cardWindows,
  type ScoreCard,
} from '../../../contract/schemas/score-card.js';
import { formula } from '../../../contract/verification/formulas.js';
import { hasEnough, scoreOf, weightedScore } from '../../../contract/verification/score.js';
import { type AccountCounts, countAccounts, noAccounts } from './account-counts.rules.js';
import { percentileSeconds, type Rollup } from './day-count.rules.js';
import { addRollup, addTally, emptyTally, judgeTimes, type Tally } from './tally.rules.js';
import type { Evidence } from './what-counts.rules.js';

export type CardWindow = ScoreCard['window'];

/** What follows from a tally alone. */
export type CardRecord = Pick<ScoreCard, keyof typeof cardRecord> & CardVerification;

/** A record with its score: of a card, of a day, or of an anchor over all its corridors. */
export type ScoredRecord = CardRecord & Pick<ScoreCard, 'score' | 'state'>;

/** Days of which a score needs some with outcomes, whatever its window. */
export const longestWindow = Math.max(...cardWindows);

/** The cards of one anchor as a refresh made them. */
export interface AnchorCards {
  /** The id of the anchor. */
  _id: string;
  anchorName: string;
  simulated: boolean;
  /** The corridors in which it is ranked: those that it serves; none unless it is active. */
  serves: string[];
  /** Whether it is ranked over all corridors. */
  isActive: boolean;
  windows: AnchorWindow[];
}

export interface AnchorWindow {
  window: CardWindow;
  /** Over all corridors. */
  own: ScoredRecord & CardSigns & { scoredCorridors: number };
  /** By corridor. The card alone is published and hashed. */
  cards: { card: ScoreCard; signs: CardSigns }[];
}

/** What an anchor's roll-ups are judged by. */
export interface Judge {
  evidence: Evidence;
  /** By corridor. One that was never in the fleet has none and cannot be judged. */
  speedTargets: ReadonlyMap<string, number>;
}

/**
 * The cards of an anchor as of a UTC day, from its roll-ups of the last 90 days: in each window one per corridor that it
 * serves, with zeros if nobody has used it yet, and one per other corridor that has counts there.
 */
export function anchorCards(
  anchor: AnchorSummary,
  rollups: readonly Rollup[],
  today: string,
  judge: Judge,
): AnchorCards {
  const { id: _id, name: anchorName, simulated, status } = anchor;
  const isActive = status === 'active';
  const serves = anchor.corridors.map(({ corridor }) => corridor);
  const judged = rollups.filter(({ corridor }) => judge.speedTargets.has(corridor));
  const accounts = countAccounts(judged, today);
  const accountsIn = new Map<string, Map<number, AccountCounts>>();
  for (const corridor of new Set(judged.map((rollup) => rollup.corridor))) {
    const ofCorridor = judged.filter((rollup) => rollup.corridor === corridor);
    accountsIn.set(corridor, countAccounts(ofCorridor, today));
  }
  const windows = cardWindows.map((window): AnchorWindow => {
    const place = { anchorId: _id, window, simulated };
    const { own, all, cards } = recordsIn(place, rollups, today, judge, serves);
    const withSigns = cards.map(({ card, tally }) => {
      return { card, signs: signsOf(tally, accountsIn.get(card.corridor)?.get(window)) };
    });
    return { window, own: { ...own, ...signsOf(all, accounts.get(window)) }, cards: withSigns };
  });
  return { _id, anchorName, simulated, serves: isActive ? serves : [], isActive, windows };
}

/** The cards of a window that ends with `day`, the record over all corridors, and the tallies that they are made from. */
function recordsIn(
  place: Pick<ScoreCard, 'anchorId' | 'window' | 'simulated'>,
  rollups: readonly Rollup[],
  day: string,
  judge: Judge,
  serves: readonly string[],
) {
  const tallies = talliesOf(within(rollups, place.window, day), judge, serves);
  const cards = [...tallies].sort(byCorridor).map(([corridor, tally]) => {
    const speedTargetSeconds = judge.speedTargets.get(corridor) ?? 0;
    const days90 = daysWithOutcomes(rollups, day, corridor);
    const of = { ...place, evidence: judge.evidence, corridor, speedTargetSeconds };
    return { card: cardOf(tally, days90, of), tally };
  });
  const all = sumOf(tallies.values());
  const scored = cards.map(({ card }) => card);
  const own = ownRecord(recordOf(all, daysWithOutcomes(rollups, day)), scored);
  const scoredCorridors = scored.filter(({ score }) => score !== null).length;
  return { own: { ...own, scoredCorridors }, all, cards };
}

/**
 * A point for each of these days, in the given order: the counts of that day, and the score over the window that ends
 * with that day. `rollups` are those of one anchor, from 90 days before the first of these days on.
 */
export function historyPoints(
  days: readonly string[],
  rollups: readonly Rollup[],
  window: CardWindow,
  judge: Judge,
): HistoryPoint[] {
  return days.map((day) => {
    const { score, state } = recordsIn(
      { anchorId: '', window, simulated: false },
      rollups,
      day,
      judge,
      [],
    ).own;
    const onDay = sumOf(talliesOf(within(rollups, 1, day), judge).values());
    const {
      ledgerOutcomes: _1,
      anchorOutcomes: _2,
      timesWithheld: _3,
      ...record
    } = recordOf(onDay, daysWithOutcomes(rollups, day));
    return { day, ...record, score, state };
  });
}

/** The roll-ups of a window of this many days that ends with `day`. */
function within(rollups: readonly Rollup[], window: number, day: string): Rollup[] {
  const from = firstDayOf(window, day);
  return rollups.filter((rollup) => rollup.day >= from && rollup.day <= day);
}

/** The tally of each corridor that can be judged, with the times that count there. */
function talliesOf(
  rollups: readonly Rollup[],
  { evidence, speedTargets }: Judge,
  atLeast: readonly string[] = [],
): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const corridor of atLeast) tallies.set(corridor, emptyTally());
  for (const rollup of rollups) {
    const tally = tallies.get(rollup.corridor) ?? emptyTally();
    tallies.set(rollup.corridor, tally);
    addRollup(tally, rollup);
  }
  for (const [corridor, tally] of tallies) {
    const speedTargetSeconds = speedTargets.get(corridor);
    if (speedTargetSeconds === undefined) tallies.delete(corridor);
    else tallies.set(corridor, judgeTimes(tally, evidence, speedTargetSeconds));
  }
  return tallies;
}

function sumOf(tallies: Iterable<Tally>): Tally {
  const sum = emptyTally();
  for (const tally of tallies) addTally(sum, tally);
  return sum;
}

/** How many of the 90 UTC days that end with `day` have outcomes, in one corridor or in any. */
function daysWithOutcomes(rollups: readonly Rollup[], day: string, corridor?: string): number {
  const days = new Set<string>();
  for (const rollup of within(rollups, longestWindow, day))
    if (corridor === undefined || rollup.corridor === corridor)
      if (rollup.filled + rollup.notFilled > 0) days.add(rollup.day);
  return days.size;
}

/** Shares and percentiles are rounded so that rounding never favours the anchor. */
export function recordOf(tally: Tally, days90: number): CardRecord {
  const { filled, notFilled, accountDays, quotedOutcomes, shortfallPpb, acceptedDisputes } = tally;
  const outcomes = filled + notFilled;
  return {
    outcomes,
    filled,
    accountDays,
    days90,
    fillRate: outcomes === 0 ? null : fraction(filled, outcomes, 6, 'down'),
    p50SettleSeconds: percentileSeconds(tally.times, 50),
    p95SettleSeconds: percentileSeconds(tally.times, 95),
    meanShortfall:
      quotedOutcomes === 0 ? null : fraction(shortfallPpb, quotedOutcomes * 1_000_000_000, 9, 'up'),
    quotedOutcomes,
    acceptedDisputes,
    ledgerOutcomes: tally.ledgerOutcomes,
    anchorOutcomes: tally.anchorOutcomes,
    timesWithheld: tally.timesWithheld,
  };
}

/** The card of a corridor, from its tally with the times that count there. */
export function cardOf(
  tally: Tally,
  days90: number,
  place: Pick<
    ScoreCard,
    'anchorId' | 'corridor' | 'window' | 'evidence' | 'speedTargetSeconds' | 'simulated'
  >,
): ScoreCard {
  const record = recordOf(tally, days90);
  const score = scoreOf({ ...record, ...place });
  return { ...place, formula, ...record, score, state: hasEnough(record) ? 'scored' : 'insufficient_data' };
}

/** A record over all corridors, with the score from those that have one. */
export function ownRecord(
  record: CardRecord,
  cards: readonly Pick<ScoreCard, 'score' | 'outcomes'>[],
): ScoredRecord {
  const score = weightedScore(cards);
  return { ...record, score, state: score === null ? 'insufficient_data' : 'scored' };
}

/** The signs beside a card, which describe how its record came about (docs/reputation.md). */
export function signsOf(tally: Tally, { accounts, largest } = noAccounts): CardSigns {
  const { filled, notFilled, timesKnown, newAccountOutcomes, days } = tally;
  const outcomes = filled + notFilled;
  const share = (part: number) => (outcomes === 0 ? null : fraction(part, outcomes, 6, 'up'));
  return {
    timesKnown,
    accounts,
    newAccountShare: share(newAccountOutcomes),
    largestAccountShare: share(largest),
    busiestDayShare: share(Math.max(0, ...days.values())),
  };
}

/** The first UTC day of a window of this many days that ends with `day`. */
export function firstDayOf(window: number, day: string): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) - (window - 1) * 86_400_000).toISOString().slice(0, 10);
}

/** `part / whole` with the given number of decimal places, as text. Both are whole numbers. */
function fraction(part: number, whole: number, places: number, round: 'up' | 'down'): string {
  const [scaled, divisor] = [BigInt(part) * 10n ** BigInt(places), BigInt(whole)];
  const units = round === 'down' ? scaled / divisor : (scaled + divisor - 1n) / divisor;
  const digits = units.toString().padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

function byCorridor([a]: readonly [string, Tally], [b]: readonly [string, Tally]): number {
  return a < b ? -1 : 1;
}
