import type { AnchorSummary } from '../../contract/schemas/anchors.js';
import type { PublishedCard } from '../../contract/schemas/score-card.js';
import type { Formula } from '../../contract/verification/formulas.js';
import type { AggregatableIntent } from '../../server/features/intents/aggregation.js';
import {
  type AccountDay,
  planAggregation,
  type RollupDelta,
} from '../../server/features/reputation/aggregation.rules.js';
import { anchorCards, firstDayOf } from '../../server/features/reputation/card.rules.js';
import {
  counterNames,
  eachHistogram,
  emptyCounts,
  type Rollup,
} from '../../server/features/reputation/counters.rules.js';
import { changeHistogram } from '../../server/features/reputation/settle-histogram.rules.js';

export const corridor = 'usdc-ngn';
const speedTargetSeconds = 600;

/** The reputation of one anchor as the service keeps it, without a database: the same rules over the same roll-ups. */
export class LabReputation {
  readonly #rollups = new Map<string, Rollup>();
  readonly #accountDays = new Map<string, AccountDay>();
  readonly #firstDays = new Map<string, string>();

  /** Counts outcomes in one batch, like the aggregator. */
  count(intents: readonly AggregatableIntent[]): void {
    const plan = planAggregation(intents, this.#accountDays, this.#firstDays);
    for (const [key, accountDay] of plan.accountDays) this.#accountDays.set(key, accountDay);
    for (const [account, day] of plan.firstDays) this.#firstDays.set(account, day);
    for (const delta of plan.rollups.values()) this.#add(delta);
  }

  /** The card of the corridor as of a UTC day. */
  card(anchorId: string, today: string, formula: Formula, window: 30 | 90): PublishedCard {
    const from = firstDayOf(90, today);
    const rollups = [...this.#rollups.values()].filter(({ day }) => day >= from);
    const targets = new Map([[corridor, speedTargetSeconds]]);
    const cards = anchorCards(summaryOf(anchorId), rollups, today, targets, [], [formula])[formula];
    const card = cards.windows.find((each) => each.window === window)?.cards[0]?.card;
    if (card === undefined) throw new Error(`${anchorId} has no card`);
    return card;
  }

  #add(delta: RollupDelta): void {
    const { anchorId, day } = delta;
    const sum = { ...(this.#rollups.get(day) ?? { ...emptyCounts, anchorId, corridor, day }) };
    for (const name of counterNames) sum[name] += delta[name];
    Object.assign(
      sum,
      eachHistogram((name) => changeHistogram(sum[name], delta[name])),
    );
    this.#rollups.set(day, sum);
  }
}

function summaryOf(id: string): AnchorSummary {
  return {
    id,
    name: id,
    note: null,
    status: 'active',
    simulated: true,
    homeDomain: `${id}.example`,
    corridors: [{ corridor, deliveryMethods: ['bank_account'] }],
    onboardedAt: '2026-01-01T00:00:00.000Z',
    delistedAt: null,
  };
}
