import type { Logger } from './ports.js';
import { withTimeout } from './timing.js';

export type Lifecycle = ReturnType<typeof createLifecycle>;

/** Longer than the ten seconds that the listener gives to the requests in hand. */
const defaultStepTimeoutMs = 15_000;

/** Remembers what was started, to stop it in the reverse order. */
export function createLifecycle(deps: { logger: Logger; stepTimeoutMs?: number }) {
  const { logger, stepTimeoutMs = defaultStepTimeoutMs } = deps;
  const steps: { name: string; stop: () => Promise<void> | void }[] = [];
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      const { name, stop } = step;
      try {
        const late = () => new Error(`${name} did not stop within ${stepTimeoutMs} ms`);
        await withTimeout(stepTimeoutMs, Promise.resolve().then(stop), late);
      } catch (error) {
        logger.error({ err: error, step: name }, 'a step of the stop failed; the others follow');
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'the service did not stop cleanly');
    logger.info({}, 'stopped');
  }

  return {
    /** Remembers how to stop what has just been started or opened. */
    onStop(name: string, stop: () => Promise<void> | void): void {
      steps.push({ name, stop });
    },
    /**
     * Stops everything, the last one first. A step that fails, or takes longer than 15 s, is logged, and the others
     * follow all the same; then it rejects with an AggregateError. A second call returns the first one's promise.
     */
    stop(): Promise<void> {
      stopping ??= stopAll();
      return stopping;
    },
  };
}
