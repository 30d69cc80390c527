/** The clients of the soak, in a process of their own: mixed requests at a rate, and streams that are held open. */
import { answerQuestion, serveQuestions } from '../lib/programs/answer-questions.js';
import { holdStreams, type StreamsReport } from './held-streams.js';
import { createMix, type Mix, type MixOptions } from './mix.js';
import { type LoopReport, type OpenLoop, startOpenLoop } from './open-loop.js';

export interface TrafficStart extends Omit<MixOptions, 'host'> {
  origin: string;
  connections: number;
  streams: number;
}

/** What was seen since the last report; of the clients and the streams, since the start. */
export interface TrafficReport extends LoopReport {
  addresses: number;
  amounts: number;
  streams: StreamsReport;
}

let mix: Mix;
let loop: OpenLoop;
let held: ReturnType<typeof holdStreams>;

answerQuestion('start', (about) => {
  const { origin, connections, streams, ...options } = about as TrafficStart;
  mix = createMix({ ...options, host: new URL(origin).host });
  loop = startOpenLoop(origin, mix, connections);
  held = holdStreams(origin, streams);
  loop.failed.catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
});
answerQuestion('rate', (perSecond) => loop.setRate(perSecond as number));
answerQuestion('report', (): TrafficReport => ({ ...loop.report(), ...mix.used(), streams: held.report() }));
answerQuestion('stop', () => {
  loop.stop();
  held.stop();
});
serveQuestions();
