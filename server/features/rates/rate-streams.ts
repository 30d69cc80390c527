import type { RatesAnswer, RatesQuery } from '../../../contract/schemas/rates.js';
import type { Clock } from '../../ports.js';
import { type EventStream, eventBytes } from '../../streams/event-stream.js';
import type { Feed } from '../../streams/streams.js';
import { createTopics, type Topic } from '../../streams/topics.js';
import { freshMs } from './replies.js';
import type { LiveQuestion, Rates } from './service.js';

/** The streams of rates. Readers of the same question share its answer; a question without readers costs nothing. */
export interface RateStreams {
  /**
   * Makes sure that there is an answer, and returns what feeds a stream with it. `admitNew` is called before anchors are
   * asked for a new amount, as by `quote`. Throws what `quote` throws.
   */
  prepare(corridorId: string, query: RatesQuery, admitNew: () => Promise<void>): Promise<Feed>;
}

/** A question that readers follow. */
interface Followed {
  question: LiveQuestion;
  isAsking: boolean;
  /** When it last asked the anchors, and of which version of the answers. */
  asked: { at: number; version: number } | undefined;
  /** Clients asked to pay so far. */
  payers: number;
  /** The answer that readers were shown last. */
  answer: RatesAnswer | undefined;
  /** Why there is no newer one, if the last attempt failed. */
  problem: Buffer | undefined;
}

/** How often answers are looked at. If the anchors take longer to answer, readers are sent the old answer, marked as stale. */
const everyMs = 1_000;
/** The time between attempts. A client pays for a refresh once, and a quote is fresh for as long. */
const askAgainMs = { free: 2_000, paid: freshMs };
/** The most clients that are asked to pay for one refresh, until one has a point left. */
const mostPayers = 20;

export function createRateStreams(deps: {
  rates: Pick<Rates, 'live'>;
  /** Takes a point from this client's budget of amounts; throws if none is left. */
  payFor: (client: string) => Promise<void>;
  /** The body that tells readers of an error. */
  problemOf: (error: unknown) => object;
  clock: Clock;
}): RateStreams {
  const { rates, payFor, problemOf, clock } = deps;
  const topics = createTopics<Followed>({
    everyMs,
    look(all) {
      for (const topic of all.values()) look(topic);
    },
  });

  /** Shows the present answer, or asks for the next one when it is due. */
  function look(topic: Topic<Followed>): void {
    const { about } = topic;
    const kept = about.question.kept();
    const isDue = (kept === undefined || kept.freshForMs <= 0) && mayAsk(about);
    if (kept !== undefined && !(isDue && about.answer)) showAnswer(topic, kept.answer);
    if (isDue) ask(topic);
    else if (kept === undefined && about.problem !== undefined) {
      about.answer = undefined;
      topic.show(about.problem);
    }
  }

  /** The cache hands out the same object until the answer changes: it need not be serialised to see that it has not. */
  function showAnswer({ about, show }: Topic<Followed>, answer: RatesAnswer): void {
    if (answer === about.answer) return;
    about.answer = answer;
    show(eventBytes('rates', answer));
  }

  function mayAsk({ question, isAsking, asked }: Followed): boolean {
    if (isAsking) return false;
    if (asked === undefined || asked.version !== question.version()) return true;
    const sinceMs = clock() - asked.at;
    // A clock that was set back tells nothing.
    return sinceMs < 0 || sinceMs >= (question.costsCalls() ? askAgainMs.paid : askAgainMs.free);
  }

  /** Never rejects. */
  async function ask(topic: Topic<Followed>): Promise<void> {
    const { about, readers } = topic;
    const { question } = about;
    const isPaid = question.costsCalls();
    about.isAsking = true;
    about.asked = { at: clock(), version: question.version() };
    try {
      if (isPaid) await pay(about, readers);
      // What was paid for asks every anchor: otherwise each is asked, and paid for, when its own reply expires.
      const { answer } = await question.ask({ maxAgeMs: isPaid ? 0 : freshMs });
      about.problem = undefined;
      if (about.asked.version === question.version()) showAnswer(topic, answer);
    } catch (error) {
      about.problem = eventBytes('problem', problemOf(error));
    }
    about.isAsking = false;
    look(topic);
  }

  /** Makes one client pay, each in its turn. Throws the last refusal if none of those asked can. */
  async function pay(about: Followed, readers: ReadonlySet<EventStream>): Promise<void> {
    const clients = [...new Set([...readers].map(({ client }) => client))];
    for (let left = Math.min(clients.length, mostPayers); left > 0; left -= 1) {
      const client = clients[about.payers % clients.length] as string;
      about.payers += 1;
      try {
        return await payFor(client);
      } catch (error) {
        if (left === 1) throw error;
      }
    }
  }

  return {
    async prepare(corridorId, query, admitNew) {
      const question = rates.live(corridorId, query);
      if (question.kept() === undefined) await question.ask({ admitNew });
      const begin = (): Followed => ({
        question,
        isAsking: false,
        asked: undefined,
        payers: 0,
        answer: undefined,
        problem: undefined,
      });
      return (stream) => look(topics.join(question.key, begin, stream));
    },
  };
}
