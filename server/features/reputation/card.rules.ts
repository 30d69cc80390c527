import type { AnchorSummary } from '../../../contract/schemas/anchors.js';
import {
  type CardSigns,
  cardRecord,
  cardWindows,
  type PublishedCard,
  type ScoreCard,
  type ScoreCardV2,
} from '../../../contract/schemas/score-card.js';
import type { Formula } from '../../../contract/verification/formulas.js';
import { hasEnough, scoreOf, weightedScore } from '../../../contract/verification/score.js';
import {
  addRollup,
  addTally,
  emptyTally,
  publishedCounts,
  type Rollup,
  type Tally,
} from './counters.rules.js';
import { fraction } from './fraction.rules.js';
import { percentileSeconds } from './settle-histogram.rules.js';
import { signsOf } from './signs.rules.js';
import { addAccountDay, addDay, type CountedAccountDay, emptySpread, type Spread } from './spread.rules.js';
import { verifiedTally } from './verified-tally.rules.js';

/** The part of a card that follows from a tally alone. */
export type CardRecord = Pick<ScoreCard, keyof typeof cardRecord>;

/** A record with its score: of a card, or of an anchor over all its corridors. */
export type ScoredRecord = CardRecord & Pick<ScoreCard, 'score' | 'state'>;

/** Shares and percentiles are rounded so that rounding never favours the anchor. */
export function recordOf(tally: Tally): CardRecord {
  const { filled, notFilled, quotedOutcomes, shortfallPpb } = tally.counts;
  const outcomes = filled + notFilled;
  return {
    ...publishedCounts(tally),
    outcomes: Number(outcomes),
    fillRate: outcomes === 0n ? null : fraction(filled, outcomes, 6, 'down'),
    p50SettleSeconds: percentileSeconds(tally.settle, 50),
    p95SettleSeconds: percentileSeconds(tally.settle, 95),
    meanShortfall:
      quotedOutcomes === 0n ? null : fraction(shortfallPpb, quotedOutcomes * 1_000_000_000n, 9, 'up'),
  };
}

/** The record with its score in a corridor with this speed target. */
export function scoredRecord(record: CardRecord, speedTargetSeconds: number): ScoredRecord {
  return {
    ...record,
    score: scoreOf({ ...record, speedTargetSeconds }),
    state: hasEnough(record) ? 'scored' : 'insufficient_data',
  };
}

/** The record of an anchor over all its corridors: the counts of all of them, and the score from those that have one. */
export function anchorRecord(
  all: Tally,
  cards: readonly Pick<ScoreCard, 'score' | 'outcomes'>[],
): ScoredRecord {
  const score = weightedScore(cards);
  return { ...recordOf(all), score, state: score === null ? 'insufficient_data' : 'scored' };
}

const recordMembers = [...Object.keys(cardRecord), 'score', 'state'] as (keyof ScoredRecord)[];

/** The record of a card, without its anchor, corridor, window, speed target and `simulated`. */
export function recordWithoutPlace(record: ScoredRecord): ScoredRecord {
  return Object.fromEntries(recordMembers.map((name) => [name, record[name]])) as ScoredRecord;
}

export function cardOf(
  record: CardRecord,
  place: Pick<ScoreCard, 'anchorId' | 'corridor' | 'window' | 'speedTargetSeconds' | 'simulated'>,
): ScoreCard {
  return { ...place, ...scoredRecord(record, place.speedTargetSeconds) };
}

type Place = Parameters<typeof cardOf>[1];

/** The part of a corridor's tally that a formula counts. */
export function tallyOf(formula: Formula, tally: Tally, speedTargetSeconds: number): Tally {
  return formula === 'v1' ? tally : verifiedTally(tally, speedTargetSeconds);
}

/** The card of formula v2, from the whole tally of its corridor and the signs of that tally. */
export function cardOfV2(tally: Tally, signs: CardSigns, place: Place): ScoreCardV2 {
  const { ledgerOutcomes, anchorOutcomes, timesWithheld } = signs;
  const card = cardOf(recordOf(tallyOf('v2', tally, place.speedTargetSeconds)), place);
  return { ...card, formula: 'v2', ledgerOutcomes, anchorOutcomes, timesWithheld };
}

/** The cards of one anchor by one formula, per window. */
export interface AnchorCards {
  anchor: AnchorSummary;
  windows: AnchorWindow[];
}

interface AnchorWindow {
  window: ScoreCard['window'];
  own: ScoredRecord;
  ownSigns: CardSigns;
  cards: { card: PublishedCard; signs: CardSigns }[];
}

/** The tally of one corridor in one window. */
interface JudgedTally {
  tally: Tally;
  signs: CardSigns;
  place: Place;
}

/**
 * The cards of an anchor by each formula as of a UTC day: one per corridor that it serves, with zeros if nobody has used it
 * yet, and one per other corridor that still has counts in the window; none by formulas that are not asked for. `rollups`
 * are those of the last 90 days, `accountDays` the newest of the same days, newest first.
 */
export function anchorCards(
  anchor: AnchorSummary,
  rollups: readonly Rollup[],
  today: string,
  speedTargets: ReadonlyMap<string, number>,
  accountDays: readonly CountedAccountDay[],
  formulas: readonly Formula[] = ['v1'],
): Record<Formula, AnchorCards> {
  const tallies = new Map<string, Tally>();
  for (const { corridor } of anchor.corridors) tallies.set(corridor, emptyTally());
  const newestFirst = rollups.filter(({ day }) => day <= today).sort((a, b) => (a.day < b.day ? 1 : -1));
  const spreads = new Map<string, Spread>();
  const spreadOverAll = emptySpread();
  let next = 0;
  let nextAccountDay = 0;
  // Each window contains the one before it: every roll-up is read once, however many windows it is in.
  const byFormula: Record<Formula, AnchorCards> = {
    v1: { anchor, windows: [] },
    v2: { anchor, windows: [] },
  };
  for (const window of cardWindows) {
    const from = firstDayOf(window, today);
    for (let rollup = newestFirst[next]; rollup !== undefined && rollup.day >= from; ) {
      const tally = tallies.get(rollup.corridor) ?? emptyTally();
      tallies.set(rollup.corridor, tally);
      addRollup(tally, rollup);
      const outcomes = rollup.filled + rollup.notFilled;
      for (const spread of [spreadOf(spreads, rollup.corridor), spreadOverAll])
        if (outcomes > 0) addDay(spread, rollup.day, outcomes);
      next += 1;
      rollup = newestFirst[next];
    }
    for (let accountDay = accountDays[nextAccountDay]; accountDay !== undefined && accountDay.day >= from; ) {
      const spread = spreadOf(spreads, accountDay.corridor);
      for (const each of [spread, spreadOverAll])
        if (accountDay.day <= today) addAccountDay(each, accountDay);
      nextAccountDay += 1;
      accountDay = accountDays[nextAccountDay];
    }
    const all = emptyTally();
    const judged: JudgedTally[] = [];
    for (const [corridor, tally] of [...tallies].sort(byCorridor)) {
      addTally(all, tally);
      const speedTargetSeconds = speedTargets.get(corridor);
      // A corridor that this service has never had in its fleet cannot be judged.
      if (speedTargetSeconds === undefined) continue;
      const place = {
        anchorId: anchor.id,
        corridor,
        window,
        speedTargetSeconds,
        simulated: anchor.simulated,
      };
      judged.push({ tally, signs: signsOf(tally, spreadOf(spreads, corridor)), place });
    }
    const ownSigns = signsOf(all, spreadOverAll);
    for (const formula of formulas) {
      const made = formula === 'v1' ? cardsOfV1(judged, all) : cardsOfV2(judged);
      byFormula[formula].windows.push({ window, ownSigns, ...made });
    }
  }
  return byFormula;
}

function cardsOfV1(judged: readonly JudgedTally[], all: Tally): Pick<AnchorWindow, 'own' | 'cards'> {
  const cards = judged.map(({ tally, signs, place }) => ({ card: cardOf(recordOf(tally), place), signs }));
  return { own: ownRecord(all, cards), cards };
}

function cardsOfV2(judged: readonly JudgedTally[]): Pick<AnchorWindow, 'own' | 'cards'> {
  const all = emptyTally();
  const cards = judged.map(({ tally, signs, place }) => {
    addTally(all, tallyOf('v2', tally, place.speedTargetSeconds));
    return { card: cardOfV2(tally, signs, place), signs };
  });
  return { own: ownRecord(all, cards), cards };
}

function ownRecord(all: Tally, cards: AnchorWindow['cards']): ScoredRecord {
  return anchorRecord(
    all,
    cards.map(({ card }) => card),
  );
}

/** The first UTC day of a window that ends with `day` and includes it. */
export function firstDayOf(window: number, day: string): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) - (window - 1) * 86_400_000).toISOString().slice(0, 10);
}

function spreadOf(spreads: Map<string, Spread>, corridor: string): Spread {
  const known = spreads.get(corridor);
  if (known !== undefined) return known;
  const spread = emptySpread();
  spreads.set(corridor, spread);
  return spread;
}

function byCorridor([a]: readonly [string, Tally], [b]: readonly [string, Tally]): number {
  return a < b ? -1 : 1;
}
