import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import { ApiError } from '../../errors.js';
import { isMongoUnavailable } from '../../mongo/failures.js';
import type { Logger } from '../../ports.js';
import { eventBytes } from '../../streams/event-stream.js';
import type { Feed } from '../../streams/streams.js';
import { createTopics, type Topic } from '../../streams/topics.js';
import type { Intent } from './intent.js';
import type { IntentStore } from './store.js';

/** The streams of intents: each sends the present answer, and the next one whenever the intent changes. */
export type IntentStreams = ReturnType<typeof createIntentStreams>;

/** The version that readers were shown. */
type Followed = Pick<Intent, 'version'>;

/** The least time between two reads that changes cause. */
const everyMs = 250;
/** Every so many times, the versions are read without a sign of a change: signs may be lost. */
const readEvery = 4;

export function createIntentStreams(deps: {
  store: Pick<IntentStore, 'findByHash' | 'findByHashes' | 'versionsOf' | 'watch'>;
  answerOf: (intent: Intent) => Promise<IntentAnswer>;
  logger: Logger;
}) {
  const { store, answerOf, logger } = deps;
  let looks = 0;
  let isWoken = false;
  let isReading = false;

  const wake = () => {
    isWoken = true;
  };
  const changes = store.watch({
    onChange: (intentHash) => topics.has(intentHash) && wake(),
    onOpen: wake,
    logger,
  });
  const topics = createTopics<Followed>({
    everyMs,
    look(followed) {
      looks += 1;
      if (isReading || !(isWoken || looks % readEvery === 0)) return;
      isWoken = false;
      showChanges(followed);
    },
    onUse(isUsed) {
      if (isUsed) changes.start();
      else changes.stop().catch((err: unknown) => logger.warn({ err }, 'a change stream did not close'));
    },
  });

  /** Reads the versions of all intents that are followed, and then those that changed. Never rejects. */
  async function showChanges(followed: ReadonlyMap<string, Topic<Followed>>): Promise<void> {
    isReading = true;
    const asked = [...followed];
    try {
      const found = await store.versionsOf(asked.map(([intentHash]) => intentHash));
      for (const [intentHash, topic] of asked) if (!found.has(intentHash)) endAll(topic);
      const changed = asked.filter(([hash, { about }]) => (found.get(hash) ?? 0) > about.version);
      if (changed.length === 0) return;
      const intents = await store.findByHashes(changed.map(([intentHash]) => intentHash));
      const answers = await Promise.all(intents.map(answerOf));
      intents.forEach(({ _id, version }, place) => {
        showNewer(followed.get(_id), version, answers[place]);
      });
    } catch (err) {
      // The next look reads again.
      if (isMongoUnavailable(err)) return;
      logger.error({ err }, 'the intents that are followed could not be read; their streams end');
      for (const [, topic] of asked) endAll(topic);
    } finally {
      isReading = false;
    }
  }

  return {
    /** Reads the intent, and returns what feeds a stream with it. Throws UNKNOWN_INTENT. */
    async prepare(intentHash: string): Promise<Feed> {
      const intent = await store.findByHash(intentHash);
      if (intent === null) throw new ApiError('UNKNOWN_INTENT', 'No intent has this hash.');
      const answer = await answerOf(intent);
      return (stream) => {
        const topic = topics.join(intentHash, () => ({ version: -1 }), stream);
        showNewer(topic, intent.version, answer);
      };
    },
    stop: changes.stop,
  };
}

function showNewer(
  topic: Topic<Followed> | undefined,
  version: number,
  answer: IntentAnswer | undefined,
): void {
  if (topic === undefined || version <= topic.about.version) return;
  topic.about.version = version;
  topic.show(eventBytes('intent', answer));
}

function endAll({ readers }: Topic<Followed>): void {
  for (const reader of [...readers]) reader.end();
}
