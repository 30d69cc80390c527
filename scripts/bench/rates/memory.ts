import { answerQuestion, serveQuestions } from '../lib/programs/answer-questions.js';
import { ratesOverInstantAnchors } from './instant-anchors.js';

const amountsOfAsk = 1_000;
const anchors = 8;
/** Slow enough for the call budget of every anchor. */
const betweenMs = 150;

/** On every `ask`, quotes a thousand amounts that have not been asked for before; answers with the total so far. */
const fixture = ratesOverInstantAnchors(anchors);
let asked = 0;

answerQuestion('ask', async () => {
  for (let n = 0; n < amountsOfAsk; n += 1) {
    const corridor = fixture.fleet.corridors[asked % fixture.fleet.corridors.length];
    // From 10 to under 10,000, which every corridor serves.
    const amount = (10 + (asked % 99_000) / 10).toFixed(1);
    const { answer } = await fixture.rates.quote(corridor?.id ?? '', { amount });
    if (answer.quotes.length !== anchors)
      throw new Error(`only ${answer.quotes.length} quotes for ${amount}`);
    fixture.pass(betweenMs);
    asked += 1;
  }
  return asked;
});
serveQuestions();
