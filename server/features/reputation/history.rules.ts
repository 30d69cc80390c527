import type { HistoryPoint } from '../../../contract/schemas/reputation.js';
import type { Formula } from '../../../contract/verification/formulas.js';
import { anchorRecord, firstDayOf, recordOf, scoredRecord, tallyOf } from './card.rules.js';
import { addRollup, addTally, emptyTally, type Rollup, type Tally } from './counters.rules.js';

/**
 * A point for each of these days, in the given order: the counts of that day, and the score over the window that ends
 * with that day. `rollups` are those of one anchor, ordered by day, from the first day of the earliest window on.
 */
export function historyPoints(
  days: readonly string[],
  rollups: readonly Rollup[],
  window: number,
  speedTargets: ReadonlyMap<string, number>,
  formula: Formula = 'v1',
): HistoryPoint[] {
  const sliding = new SlidingWindow(rollups, window, formula);
  const points = new Map<string, HistoryPoint>();
  for (const day of [...days].sort()) {
    sliding.moveTo(day);
    const onDay = emptyTally();
    for (const rollup of sliding.of(day)) {
      const ofCorridor = emptyTally();
      addRollup(ofCorridor, rollup);
      const { corridor } = rollup;
      addTally(onDay, tallyOf(formula, ofCorridor, speedTargets.get(corridor) ?? 0));
    }
    const { score, state } = sliding.record(speedTargets);
    points.set(day, { day, ...recordOf(onDay), score, state });
  }
  return days.flatMap((day) => points.get(day) ?? []);
}

/** Adds the days that enter the window and subtracts those that leave it, so a wider window does not cost more per point. */
class SlidingWindow {
  readonly #rollups: readonly Rollup[];
  readonly #window: number;
  readonly #tallies = new Map<string, Tally>();
  readonly #formula: Formula;
  #first = 0;
  #next = 0;

  constructor(rollups: readonly Rollup[], window: number, formula: Formula) {
    this.#formula = formula;
    this.#rollups = rollups;
    this.#window = window;
  }

  /** Each day must be later than the one before. */
  moveTo(day: string): void {
    for (; (this.#at(this.#next)?.day ?? '~') <= day; this.#next += 1) this.#count(this.#next, 1);
    const from = firstDayOf(this.#window, day);
    for (; this.#first < this.#next && (this.#at(this.#first)?.day ?? '') < from; this.#first += 1)
      this.#count(this.#first, -1);
  }

  of(day: string): Rollup[] {
    const found: Rollup[] = [];
    for (let index = this.#next - 1; index >= 0; index -= 1) {
      const rollup = this.#at(index);
      if (rollup?.day !== day) break;
      found.push(rollup);
    }
    return found;
  }

  record(speedTargets: ReadonlyMap<string, number>) {
    const cards = [...this.#tallies].flatMap(([corridor, tally]) => {
      const speedTargetSeconds = speedTargets.get(corridor);
      if (speedTargetSeconds === undefined) return [];
      const judged = tallyOf(this.#formula, tally, speedTargetSeconds);
      return [scoredRecord(recordOf(judged), speedTargetSeconds)];
    });
    return anchorRecord(emptyTally(), cards);
  }

  #at(index: number): Rollup | undefined {
    return this.#rollups[index];
  }

  #count(index: number, sign: 1 | -1): void {
    const rollup = this.#at(index);
    if (rollup === undefined) return;
    const tally = this.#tallies.get(rollup.corridor) ?? emptyTally();
    this.#tallies.set(rollup.corridor, tally);
    addRollup(tally, rollup, sign);
  }
}
