import {
  type AnchorAnswer,
  type AnchorObservations,
  type AnchorReputation,
  type HistoryPoint,
  type LeaderboardAnswer,
  unwrap,
} from '@fairlead/contract/client';
import { client } from '../../data/client.js';
import type { Question } from '../../data/use-answer.js';
import type { RecordView } from './use-record-view.js';

type Shown = Pick<RecordView, 'window' | 'corridor'>;

/** The service computes cards again about this often. */
const everyMs = 60_000;
const wholePage = '100';

/** The whole ranking, all its pages as one. */
export function leaderboardQuestion({ corridor, window }: Shown): Question<LeaderboardAnswer> {
  return {
    key: ['leaderboard', corridor, window],
    everyMs,
    async ask(signal) {
      const query = { corridor, window, limit: wholePage };
      const ask = async (cursor?: string) =>
        unwrap(await client.reputation.getLeaderboard({ query: { ...query, cursor }, signal }));
      const whole = await ask();
      for (let cursor = whole.nextCursor; cursor !== null; ) {
        const page = await ask(cursor);
        whole.items.push(...page.items);
        cursor = page.nextCursor;
      }
      return whole;
    },
  };
}

export function reputationQuestion(anchor: string, { window }: Shown): Question<AnchorReputation> {
  return {
    key: ['reputation', anchor, window],
    everyMs,
    ask: async (signal) =>
      unwrap(await client.reputation.getReputation({ params: { anchor }, query: { window }, signal })),
  };
}

/** The days of the window on which there was an outcome, the oldest first. */
export function historyQuestion(anchor: string, shown: Shown): Question<HistoryPoint[]> {
  const { corridor, window } = shown;
  return {
    key: ['reputation-history', anchor, corridor, window],
    everyMs,
    async ask(signal) {
      const points: HistoryPoint[] = [];
      const query = { corridor, window, limit: wholePage };
      for await (const point of client.reputation.getReputationHistory.all({
        params: { anchor },
        query,
        signal,
      }))
        points.push(point);
      return points.reverse();
    },
  };
}

export function anchorQuestion(anchor: string): Question<AnchorAnswer> {
  return {
    key: ['anchor', anchor],
    everyMs,
    ask: async (signal) => unwrap(await client.anchors.getAnchor({ params: { anchor }, signal })),
  };
}

export function observationsQuestion(anchor: string, { window }: Shown): Question<AnchorObservations> {
  return {
    key: ['observations', anchor, window],
    everyMs,
    ask: async (signal) =>
      unwrap(await client.observations.getObservations({ params: { anchor }, query: { window }, signal })),
  };
}
