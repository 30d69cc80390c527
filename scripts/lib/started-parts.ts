import { withTimeout } from '../../server/timing.js';

interface Part {
  name: string;
  stop(): Promise<void>;
}

/** A stop was requested while parts were still being started. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

const stopTimeoutMs = 20_000;

/** A stack of what has been started. It is stopped once, in reverse order, however often a stop is requested. */
export class StartedParts {
  private readonly parts: Part[] = [];
  private stopping: Promise<void> | undefined;
  private interrupted = false;

  constructor(private readonly report: (line: string) => void) {}

  /** Waits for a part to be up and keeps it. Throws Interrupted when a stop was requested meanwhile. */
  async add<T extends { stop(): Promise<void> }>(name: string, starting: T | Promise<T>): Promise<T> {
    const part = await starting;
    this.parts.push({ name, stop: () => part.stop() });
    if (this.interrupted) throw new Interrupted(`stopped while starting ${name}`);
    return part;
  }

  /** Makes the next `add` throw, so that the code that is starting parts stops them instead. */
  interrupt(): void {
    this.interrupted = true;
  }

  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  /** Stops every part, even if one fails to stop or takes too long. */
  private async stopAll(): Promise<void> {
    for (const { name, stop } of this.parts.splice(0).reverse()) {
      try {
        const late = () => new Error(`not done in ${stopTimeoutMs / 1000} s`);
        await withTimeout(stopTimeoutMs, stop(), late);
      } catch (error) {
        this.report(`Could not stop ${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}
