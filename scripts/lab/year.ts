import type { PublishedCard } from '../../contract/schemas/score-card.js';
import type { Formula } from '../../contract/verification/formulas.js';
import type { AggregatableIntent } from '../../server/features/intents/aggregation.js';
import { seeded } from '../lib/random.js';
import { type Spent, spentOn } from './costs.js';
import type { Course } from './course.js';
import { type Followed, follow } from './follow.js';
import { type Player, players, type Withdrawal, yearDays } from './players.js';
import { corridor, LabReputation } from './service.js';

export interface Ending {
  formula: Formula;
  /** The card over 30 days, at the end of the year. */
  card: PublishedCard;
  /** The score over 90 days. */
  score90: string | null;
  /** Days on which its score was above that of the honest anchor. */
  daysAhead: number;
}

export interface Played {
  player: Pick<Player, 'name' | 'does'>;
  /** By v1 without a ledger, and by v2 with one: each formula with its own service. */
  endings: Record<Formula, Ending>;
  spent: Spent;
}

const dayMs = 86_400_000;
const newYear = Date.parse('2026-01-01T00:00:00.000Z');
/** The interval of the score comparisons, in days. */
const everyDays = 10;

/** Plays a year of every player. The same seed gives the same years. */
export function playYears(seed: number, parties: readonly Player[] = players): Played[] {
  const honest: Partial<Record<Formula, (string | null)[]>> = {};
  return parties.map((player) => {
    // Every player gets the same customers.
    const withdrawals = player.year(seeded(seed));
    const ended = (formula: Formula) => {
      const { scores, ...ending } = playYear(withdrawals, formula);
      honest[formula] ??= scores;
      const ahead = scores.filter((score, at) => Number(score ?? -1) > Number(honest[formula]?.[at] ?? -1));
      return { ...ending, daysAhead: ahead.length * everyDays };
    };
    const endings = { v1: ended('v1'), v2: ended('v2') };
    return { player, endings, spent: spentOn(withdrawals.filter(({ by }) => by === 'player')) };
  });
}

function playYear(withdrawals: readonly Withdrawal[], formula: Formula) {
  const reputation = new LabReputation();
  const byDay = new Map<string, AggregatableIntent[]>();
  for (const [index, withdrawal] of withdrawals.entries()) {
    const intent = intentOf(withdrawal, index, formula === 'v2');
    const day = dayOf(intent.outcome?.recordedAt.getTime() ?? 0);
    const ofDay = byDay.get(day);
    if (ofDay === undefined) byDay.set(day, [intent]);
    else ofDay.push(intent);
  }
  const scores: (string | null)[] = [];
  for (let at = 0; at < yearDays; at += 1) {
    const today = dayOf(newYear + at * dayMs);
    reputation.count(byDay.get(today) ?? []);
    if (at % everyDays === everyDays - 1) scores.push(reputation.card(anchorId, today, formula, 30).score);
  }
  const last = dayOf(newYear + (yearDays - 1) * dayMs);
  const card = reputation.card(anchorId, last, formula, 30);
  return { formula, card, score90: reputation.card(anchorId, last, formula, 90).score, scores };
}

const anchorId = 'player';
const known = new Map<string, Followed>();

/** Withdrawals with the same course end in the same way, so each course is simulated once. */
function followed(course: Course, ledger: boolean): Followed {
  const key = JSON.stringify([course, ledger]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const after = follow(course, ledger);
  known.set(key, after);
  return after;
}

function intentOf(
  { day, account, amount, course }: Withdrawal,
  index: number,
  ledger: boolean,
): AggregatableIntent {
  const { endedAfterMs, scored, outcome } = followed(course, ledger);
  const recordedAt = new Date(newYear + day * dayMs + endedAfterMs);
  return {
    _id: String(index).padStart(8, '0'),
    anchorId,
    corridor,
    account,
    sellAmount: String(amount),
    outcome: { ...outcome, recordedAt },
    scored,
    unscoredReason: null,
    disputeEffect: null,
    pendingAggregation: true,
    counted: null,
    admission: null,
  };
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
