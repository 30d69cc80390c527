import type { Changes } from '../../cache/changes.js';
import type { StreamSource } from '../../streams/ports.js';
import type { LiveQuery } from './question.rules.js';
import { createRateGroup, type GroupDeps, type RateGroup } from './rate-group.js';
import { createRateReader } from './rate-reader.js';
import type { Rates } from './service.js';

/** The streams of rates. Readers of the same question share its answer; a question without readers costs nothing. */
export interface RateStreams {
  /**
   * Makes sure that there is an answer, and returns the source of the stream. `admitNew` is called before anchors are asked
   * for a new amount, as by `quote`. Throws what `quote` throws. If there is an answer, the readers pay for the next one.
   * `lastSeen`: the name of the last answer that the reader has.
   */
  prepare(
    corridorId: string,
    query: LiveQuery,
    reader: { client: string; lastSeen: string | undefined; admitNew: () => Promise<void> },
  ): Promise<StreamSource>;
}

export function createRateStreams(
  deps: Pick<GroupDeps, 'payFor' | 'problemOf' | 'clock'> & {
    rates: Pick<Rates, 'live'>;
    changes: Pick<Changes, 'onChange'>;
    /** Called for every answer that a reader missed because it was slower than the changes. */
    onSkipped: () => void;
  },
): RateStreams {
  const groups = new Map<string, RateGroup>();
  let stopListening: (() => void) | undefined;

  function groupOf(question: GroupDeps['question']): RateGroup {
    const known = groups.get(question.key);
    if (known !== undefined) return known;
    const group = createRateGroup({ ...deps, question });
    groups.set(question.key, group);
    stopListening ??= deps.changes.onChange(['rates', 'fleet'], () => {
      for (const each of groups.values()) each.glance();
    });
    return group;
  }

  function drop(key: string): void {
    groups.delete(key);
    if (groups.size > 0) return;
    stopListening?.();
    stopListening = undefined;
  }

  return {
    async prepare(corridorId, query, { client, lastSeen, admitNew }) {
      const question = deps.rates.live(corridorId, query);
      if (question.kept() === undefined) await question.ask({ admitNew });
      return (writer) => {
        const group = groupOf(question);
        const reader = createRateReader({
          client,
          writer,
          lastSeen,
          onFree: () => group.offer(reader),
          onClose() {
            group.leave(reader);
            if (group.isEmpty() && groups.get(question.key) === group) drop(question.key);
          },
          onSkipped: deps.onSkipped,
        });
        group.join(reader);
        return reader;
      };
    },
  };
}
