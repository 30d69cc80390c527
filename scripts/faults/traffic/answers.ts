import type { Answer } from '../ports.js';

/** All answers of a run, and the writes that wait for theirs. */
export interface AnswerLog {
  all(): readonly Answer[];
  add(answer: Answer): void;
  writesUnderWay(url?: string): number;
  /** Counts a write as under way until the function that is returned is called. */
  beginWrite(url: string): () => void;
}

export function createAnswerLog(): AnswerLog {
  const answers: Answer[] = [];
  const underWay = new Map<string, number>();

  function change(url: string, by: number): void {
    underWay.set(url, (underWay.get(url) ?? 0) + by);
  }

  return {
    all: () => answers,
    add: (answer) => void answers.push(answer),
    writesUnderWay(url) {
      if (url !== undefined) return underWay.get(url) ?? 0;
      return [...underWay.values()].reduce((sum, each) => sum + each, 0);
    },
    beginWrite(url) {
      change(url, 1);
      return () => change(url, -1);
    },
  };
}
