import { startSimulatedAnchors } from '../../../simulated-anchors/index.js';
import { answerQuestion } from './answer-questions.js';

/** The first message of this program: what the service needs to use the anchors. */
export interface AnchorsStarted {
  /** Content of the fleet file. */
  fleet: unknown;
  env: Record<string, string>;
}

/** How many prices each anchor has answered. */
export type CallCounts = Record<string, number>;

/** The simulated anchors without latency or faults, so that only the service is measured. */
const simulated = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, latencyFactor: 0 });
answerQuestion('calls', (): CallCounts => {
  const counts = simulated.anchors.map(({ id, calls }) => [id, calls['GET /sep38/price'] ?? 0]);
  return Object.fromEntries(counts);
});
answerQuestion('reset-calls', () => {
  for (const anchor of simulated.anchors) anchor.resetCalls();
});
process.send?.({
  fleet: simulated.fleet,
  env: { ...simulated.env, FX_URL: simulated.fxUrl, OUTBOUND_ALLOW: simulated.allow.join(',') },
} satisfies AnchorsStarted);
