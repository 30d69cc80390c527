import { withTimeout } from '../../server/timing.js';

/** Longer than any part takes to start or to fail. */
const startTimeoutMs = 90_000;
const stopTimeoutMs = 20_000;

/** A stack of what is being or has been started. Each part is stopped once, in reverse order. */
export class StartedParts {
  private readonly parts: { name: string; stop(): Promise<void> }[] = [];
  private stopping: Promise<void> | undefined;

  constructor(private readonly report: (line: string) => void) {}

  /**
   * Waits for a part to be up and keeps it, also while it is being started: a stop waits for it. Throws where a stop was
   * requested by then, once the part is stopped.
   */
  async add<T extends { stop(): Promise<void> }>(name: string, starting: T | Promise<T>): Promise<T> {
    // A part that fails to start has nothing to stop, and the caller gets the error.
    const started = Promise.resolve(starting).catch(() => undefined);
    this.parts.push({
      name,
      stop: async () => {
        const part = await inTime(startTimeoutMs, started);
        if (part !== undefined) await inTime(stopTimeoutMs, part.stop());
      },
    });
    const part = await starting;
    if (this.stopping === undefined) return part;
    await this.stop();
    throw new Error(`stopped while starting ${name}`);
  }

  /** Resolves when everything that was added before has been stopped. */
  stop(): Promise<void> {
    this.stopping = (this.stopping ?? Promise.resolve()).then(() => this.stopAll());
    return this.stopping;
  }

  /** Stops every part, even if one fails to stop or takes too long. */
  private async stopAll(): Promise<void> {
    for (const { name, stop } of this.parts.splice(0).reverse()) {
      try {
        await stop();
      } catch (error) {
        this.report(`Could not stop ${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}

function inTime<T>(limitMs: number, work: Promise<T>): Promise<T> {
  return withTimeout(limitMs, work, () => new Error(`not done in ${limitMs / 1_000} s`));
}
