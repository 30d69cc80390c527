import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { isMongoUnavailable } from '../../mongo/failures.js';
import type { Logger } from '../../ports.js';
import type { QuoteReputation } from '../rates/answer.rules.js';
import type { CardReader } from './card-reader.js';

/** The cards of window 30 in memory, as quotes need them: asked thousands of times a second, a few seconds old. */
export interface QuoteReputations {
  of(anchorId: string, corridorId: string): QuoteReputation;
  /** Reads them if another run is in force than the one held. */
  load(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

const lookEveryMs = 5_000;

const nothingKnown: QuoteReputation = {
  score: null,
  state: 'insufficient_data',
  outcomes: 0,
  meanShortfall: null,
};

export function createQuoteReputations(deps: { reader: CardReader; logger: Logger }): QuoteReputations {
  const { reader, logger } = deps;
  let held = new Map<string, QuoteReputation>();
  let heldRun: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;

  async function read(): Promise<void> {
    const { current } = await reader.runs();
    if (current === null || current.run === heldRun) return;
    const next = new Map<string, QuoteReputation>();
    for await (const card of reader.listCards(30)) next.set(keyOf(card), quoteReputation(card));
    held = next;
    heldRun = current.run;
  }

  function load(): Promise<void> {
    underWay ??= read().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  function look(): void {
    load().catch((error: unknown) => {
      if (!isMongoUnavailable(error)) logger.warn({ err: error }, 'scores for quotes could not be read');
    });
  }

  return {
    of: (anchorId, corridor) => held.get(keyOf({ anchorId, corridor })) ?? nothingKnown,
    load,
    start() {
      look();
      timer = setInterval(look, lookEveryMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await underWay?.catch(() => undefined);
    },
  };
}

function keyOf({ anchorId, corridor }: Pick<ScoreCard, 'anchorId' | 'corridor'>): string {
  return `${anchorId} ${corridor}`;
}

function quoteReputation({ score, state, outcomes, meanShortfall }: ScoreCard): QuoteReputation {
  return { score, state, outcomes, meanShortfall };
}
