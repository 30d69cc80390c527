import { startSimulatedAnchors } from '../../../simulated-anchors/index.js';
import { answerQuestion } from './answer-questions.js';

/** What the service has to be told to use them; `fleet` is the fleet file's content. */
export interface AnchorsTold {
  fleet: unknown;
  env: Record<string, string>;
}

/** Answers to a price, by anchor. */
export type CallsSeen = Record<string, number>;

/** The simulated anchors without latency or moods: what is measured is the service. */
const simulated = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, latencyFactor: 0 });
answerQuestion('calls', (): CallsSeen => {
  const counts = simulated.anchors.map(({ id, calls }) => [id, calls['GET /sep38/price'] ?? 0]);
  return Object.fromEntries(counts);
});
answerQuestion('reset-calls', () => {
  for (const anchor of simulated.anchors) anchor.resetCalls();
});
process.once('SIGTERM', () => {
  simulated.stop().then(() => process.exit(0));
});
const told: AnchorsTold = {
  fleet: simulated.fleet,
  env: { ...simulated.env, FX_URL: simulated.fxUrl, OUTBOUND_ALLOW: simulated.allow.join(',') },
};
process.send?.(told);
