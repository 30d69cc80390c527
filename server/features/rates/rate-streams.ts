import type { RatesQuery } from '../../../contract/schemas/rates.js';
import { eventBytes } from '../../streams/event-stream.js';
import type { Feed } from '../../streams/streams.js';
import { createTopics, type Topic } from '../../streams/topics.js';
import { freshMs } from './answer.rules.js';
import { keyOf, type Question } from './question.rules.js';
import type { Rates } from './service.js';

const everyMs = 1_000;

/**
 * The streams of rates. Readers of the same question share its answer, which is made anew every second from the replies
 * that are kept; anchors are asked when those expire. A question without readers costs nothing.
 */
export function createRateStreams(deps: {
  rates: Pick<Rates, 'questionOf' | 'answer'>;
  /** The body that tells readers of an error. */
  problemOf: (error: unknown) => object;
}) {
  const topics = createTopics<Question>({
    everyMs,
    look(all) {
      for (const topic of all.values()) ask(topic);
    },
  });

  /** Never rejects. Readers are sent only what differs from what they have. */
  async function ask({ about, show }: Topic<Question>): Promise<void> {
    try {
      // Where anchors take longer than a second to reply, this waits for the same replies as the call before.
      const { answer } = await deps.rates.answer(about, { maxAgeMs: freshMs });
      show(eventBytes('rates', answer));
    } catch (error) {
      show(eventBytes('problem', deps.problemOf(error)));
    }
  }

  return {
    /**
     * Makes sure that there is an answer, and returns what feeds a stream with it. `admitNew` is called before anchors
     * are asked for a new amount, as by `quote`. Throws what `quote` throws.
     */
    async prepare(corridorId: string, query: RatesQuery, admitNew: () => Promise<void>): Promise<Feed> {
      const question = deps.rates.questionOf(corridorId, query);
      await deps.rates.answer(question, { admitNew });
      const key = `${keyOf(question)}|${question.sort}`;
      return (stream) => ask(topics.join(key, () => question, stream));
    },
  };
}
