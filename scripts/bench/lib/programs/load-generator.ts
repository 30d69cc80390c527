import { type Clients, type RequestShape, requestsOf } from '../generator/requests.js';
import { type LoadOptions, type RunningLoad, startLoad } from '../generator/run.js';
import { answerQuestion, serveQuestions } from './answer-questions.js';

/** A load as the bench describes it to this program. */
export interface DescribedLoad extends LoadOptions {
  request: RequestShape;
  clients: Clients;
}

let running: RunningLoad | undefined;

answerQuestion('warm-up', async (described) => {
  const { request, clients, ...options } = described as DescribedLoad;
  const { host } = new URL(options.origins[0] ?? '');
  running = startLoad(requestsOf(request, host, clients), options);
  await running.warm;
});
answerQuestion('measure', (seconds) => running?.measure(seconds as number));
serveQuestions();
