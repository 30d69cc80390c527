interface Part {
  name: string;
  stop(): Promise<void>;
}

/** Someone asked to stop while things were still being started. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

const stopTimeoutMs = 20_000;

/** What has been started, to be stopped in the reverse order, once, however often it is asked for. */
export class StartedParts {
  private readonly parts: Part[] = [];
  private stopping: Promise<void> | undefined;
  private interrupted = false;

  constructor(private readonly complain: (line: string) => void) {}

  /** Waits for a part to be up and keeps it. Throws Interrupted when a stop was asked for meanwhile. */
  async add<T extends { stop(): Promise<void> }>(name: string, starting: Promise<T>): Promise<T> {
    const part = await starting;
    this.parts.push({ name, stop: () => part.stop() });
    if (this.interrupted) throw new Interrupted(`stopped while starting ${name}`);
    return part;
  }

  /** Makes the next `add` throw: whoever is starting things then stops them. */
  interrupt(): void {
    this.interrupted = true;
  }

  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  /** One that cannot be stopped, or not in time, does not keep the others running. */
  private async stopAll(): Promise<void> {
    for (const { name, stop } of this.parts.splice(0).reverse()) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`not done in ${stopTimeoutMs / 1000} s`)), stopTimeoutMs);
      });
      try {
        await Promise.race([stop(), late]);
      } catch (error) {
        this.complain(`Could not stop ${name}: ${error instanceof Error ? error.message : String(error)}`);
      } finally {
        clearTimeout(timer);
      }
    }
  }
}
