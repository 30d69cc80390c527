import { answerQuestion, serveQuestions } from '../lib/programs/answer-questions.js';
import { type BenchReader, openReader } from './reader.js';

/** The argument of `open`. */
export interface OpenQuestion {
  host: string;
  port: number;
  path: string;
  readers: number;
  /** How many readers share one address. */
  perClient: number;
}

/** The answer of `state`. */
export interface ReadersState {
  open: number;
  /** How many answers each reader has received, the fewest and the most. */
  fewest: number;
  most: number;
  /** How many different last answers there are: 1 where every reader has the same. */
  lastAnswers: number;
  /** The number of different sequences of answers: 1 if no reader missed one that another received. */
  courses: number;
  faults: string[];
}

/** Connections that are being opened at a time. */
const atOnce = 100;
const readers: BenchReader[] = [];
let answers = 0;
let awaited = Number.POSITIVE_INFINITY;
let onAwaited = () => {};

function onAnswer(): void {
  answers += 1;
  if (answers >= awaited) onAwaited();
}

answerQuestion('open', async (about) => {
  const { readers: count, perClient, ...to } = about as OpenQuestion;
  for (let from = readers.length; readers.length < count; from = readers.length) {
    const places = Array.from({ length: Math.min(atOnce, count - from) }, (_, place) => from + place);
    readers.push(
      ...(await Promise.all(
        places.map((place) => {
          const client = Math.floor(place / perClient);
          return openReader({
            ...to,
            localAddress: `127.0.${1 + (client >> 7)}.${1 + (client & 127)}`,
            onAnswer,
          });
        }),
      )),
    );
  }
  return readers.length;
});

/** Answers when the readers have received this many answers in total, with this process's clock in milliseconds. */
answerQuestion('await', (about) => {
  awaited = about as number;
  return new Promise<number>((resolve) => {
    onAwaited = () => {
      awaited = Number.POSITIVE_INFINITY;
      resolve(Date.now());
    };
    if (answers >= awaited) onAwaited();
  });
});

answerQuestion('answers', () => answers);

answerQuestion('state', (): ReadersState => {
  const counts = readers.map(({ ids }) => ids.length);
  return {
    open: readers.filter(({ fault }) => fault === undefined).length,
    fewest: counts.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY),
    most: counts.reduce((most, each) => Math.max(most, each), 0),
    lastAnswers: new Set(readers.map(({ ids }) => ids.at(-1))).size,
    courses: new Set(readers.map(({ ids }) => ids.join())).size,
    faults: [...new Set(readers.flatMap(({ fault }) => fault ?? []))],
  };
});

/** Earlier readers have received more answers than later ones; from here on, all must receive the same. */
answerQuestion('forget', () => {
  for (const reader of readers) reader.ids.length = 0;
  return null;
});

serveQuestions();
