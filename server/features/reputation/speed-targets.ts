import type { ReputationStore } from './store.js';

/**
 * The speed target of every corridor, by id. One that has left the fleet keeps the target it had when scores were
 * last computed, for the records that are still read.
 */
export async function speedTargetsOf(
  store: ReputationStore,
  corridors: readonly { id: string; speedTargetSeconds: number }[],
): Promise<Map<string, number>> {
  const state = await store.state.findById('cards').lean();
  const targets = new Map(Object.entries(state?.speedTargets ?? {}));
  for (const { id, speedTargetSeconds } of corridors) targets.set(id, speedTargetSeconds);
  return targets;
}
