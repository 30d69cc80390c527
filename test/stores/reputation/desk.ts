import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { LeaderboardAnswer } from '../../../contract/reputation-answers.js';
import type { ScoreCard } from '../../../contract/score-card.js';
import type { ReputationFeature } from '../../../server/features/reputation/feature.js';
import { testDatabase } from '../../helpers/database.js';
import { failed, noon, settled } from '../../unit/reputation/foldable.js';
import { type Books, insertIntents, openBooks, openFeature } from './books.js';
import { anchor, type TestFleet } from './fleet.js';

export const dayMs = 86_400_000;

/** The whole feature over three anchors, with empty books at the start of each test. */
export interface ReputationDesk {
  /** What the feature is told from outside: the time, and the latest published batch. */
  readonly world: { now: number; batch: { sequence: number; root: string } | null };
  readonly books: Books;
  readonly fleet: TestFleet;
  readonly feature: ReputationFeature;
  /** Outcomes of as many accounts, so many days ago. */
  outcomes(
    anchorId: string,
    corridor: string,
    count: number,
    options?: { filled?: number; daysAgo?: number; settleSeconds?: number },
  ): Promise<string[]>;
  board(corridor?: string | null, window?: ScoreCard['window']): Promise<LeaderboardAnswer>;
}

/** Call it once at the top of a file. */
export function reputationDesk(): ReputationDesk {
  const { uri } = testDatabase();
  const world: ReputationDesk['world'] = { now: noon.getTime(), batch: null };
  let books: Books;
  let fleet: TestFleet;
  let feature: ReputationFeature;

  beforeAll(async () => {
    books = await openBooks(uri);
  });
  afterAll(() => books.close());
  beforeEach(async () => {
    const all = ['intents', 'reputation_rollups', 'reputation_account_days', 'reputation_cards'];
    for (const name of [...all, 'reputation_state']) await books.connection.collection(name).deleteMany({});
    Object.assign(world, { now: noon.getTime(), batch: null });
    fleet = {
      anchors: [
        anchor('harbour', ['usdc-ngn', 'usdc-kes']),
        anchor('squall', ['usdc-ngn']),
        anchor('fresh', ['usdc-ngn']),
      ],
      speedTargets: { 'usdc-ngn': 600, 'usdc-kes': 600 },
    };
    feature = openFeature(books, { fleet, now: () => world.now, latestBatch: async () => world.batch });
  });

  return {
    world,
    get books() {
      return books;
    },
    get fleet() {
      return fleet;
    },
    get feature() {
      return feature;
    },
    outcomes(anchorId, corridor, count, options = {}) {
      const { filled = count, daysAgo = 0, settleSeconds = 60 } = options;
      const recordedAt = new Date(world.now - daysAgo * dayMs);
      return insertIntents(books, count, (index) => ({
        anchorId,
        corridor,
        account: `G${anchorId}${corridor}${daysAgo}-${index}`,
        outcome:
          index < filled ? settled({ recordedAt, settleSeconds, shortfallPpb: 0 }) : failed({ recordedAt }),
      }));
    },
    board: (corridor = null, window = 30) =>
      feature.reputation.getLeaderboard({ corridor, window, limit: undefined, cursor: undefined }),
  };
}
