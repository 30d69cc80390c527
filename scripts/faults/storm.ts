import { setTimeout as delay } from 'node:timers/promises';
import { createGate } from './actions/gate.js';
import { actions } from './actions/index.js';
import type { Stage } from './actions/stage.js';
import type { Fault, Track } from './plan.rules.js';

/**
 * Carries out a plan: the tracks at the same time, the faults of each one after another. Resolves when all is done, or
 * when the time is over, and then begins nothing new. Rejects where something could not be mended again.
 */
export async function runStorm(plan: Record<Track, Fault[]>, stage: Stage, untilMs: number): Promise<void> {
  const gate = createGate();
  let failed = false;

  async function run(faults: readonly Fault[], over: () => boolean): Promise<void> {
    for (const fault of faults) {
      await delay(fault.afterMs);
      if (over() || failed) return;
      const pass = fault.kind === 'freeze-primary' ? gate.alone : gate.together;
      await pass(async () => {
        try {
          const outcome = await actions[fault.kind](fault, stage);
          const { done } = stage.chronicle;
          if (outcome === 'done') done.set(fault.kind, (done.get(fault.kind) ?? 0) + 1);
        } catch (error) {
          failed = true;
          stage.chronicle.say(fault, `could not be carried out: ${String(error)}`);
          throw error;
        }
      });
    }
  }

  const timeIsUp = () => stage.clock() > untilMs;
  let othersRun = true;
  const members = run(plan.members, timeIsUp);
  const instances = run(plan.instances, timeIsUp);
  // Each track finishes its present fault, even if another track has failed.
  const others = Promise.allSettled([members, instances]).then(() => {
    othersRun = false;
  });
  const connections = run(plan.connections, () => !othersRun || timeIsUp());
  await Promise.allSettled([others, connections]);
  stage.members.network.heal();
  await Promise.all([members, instances, connections]);
  await stage.instances.untilWhole();
}
