import './shifted-clock.js';
import { setTimeout as delay } from 'node:timers/promises';
import type { TickStep } from '../../../server/features/publisher/steps.js';
import { cardsOf, publisherInstance } from '../../helpers/publisher-instance.js';
import type { ChildOptions, ChildReport } from './children.js';

/** An instance of the publisher in a process of its own, to be killed or stopped from outside or at a step. */

const options = JSON.parse(process.argv[2] ?? '{}') as ChildOptions;

/** Resolves once the parent's pipe has it, so that not even SIGKILL right after loses it. */
function report(message: ChildReport): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

async function onStep(step: TickStep): Promise<void> {
  if (options.reportSteps) await report({ step });
  if (step === options.killAt) process.kill(process.pid, 'SIGKILL');
  if (step === options.stopAt) {
    await report({ step });
    process.kill(process.pid, 'SIGSTOP');
  }
}

function pick<T>(choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(Math.random() * choices.length)] ?? choices[0];
}

async function main(): Promise<void> {
  const instance = await publisherInstance({ ...options.instance, onStep });
  await report({ ready: true });
  do {
    // Few scores, so that earlier ones come back; now and then a batch of several transactions.
    const points = options.points ?? pick([50, 60, 70]);
    instance.setCards(cardsOf(options.entries ?? pick([3, 3, 3, 3, 3, 3, 3, 3, 40, 40, 300, 2_500]), points));
    try {
      await report({ tick: await instance.publisher.tick() });
    } catch (error) {
      await report({ failed: error instanceof Error ? error.message : String(error) });
    }
    await delay(options.pauseMs ?? 0);
  } while (options.forever);
  await instance.close();
  process.disconnect();
}

process.once('disconnect', () => process.exit(0));
main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
});
