import { startSimulatedAnchors } from '../../simulated-anchors/index.js';

/** The message of this program: what the service needs to use the anchors. */
export interface AnchorsStarted {
  fleet: unknown;
  env: Record<string, string>;
}

/** The simulated anchors without latency or faults, so that only the service is measured. */
const simulated = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, latencyFactor: 0 });
process.send?.({
  fleet: simulated.fleet,
  env: { ...simulated.env, FX_URL: simulated.fxUrl, OUTBOUND_ALLOW: simulated.allow.join(',') },
} satisfies AnchorsStarted);
process.on('disconnect', () => process.exit());
