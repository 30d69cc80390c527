import type { OutboundError } from './outbound-error.js';

/**
 * The end of a call: its time is up, or the connector closes. The AbortSignal is made on demand, since a call over a
 * kept connection needs none, and making it would take more time than anything else here.
 */
export class Deadline {
  #reason: OutboundError | undefined;
  #onEnd: ((reason: OutboundError) => void) | undefined;
  #controller: AbortController | undefined;

  end(reason: OutboundError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#onEnd?.(reason);
  }

  get hasEnded(): boolean {
    return this.#reason !== undefined;
  }

  throwIfEnded(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** Sets the callback for the end, in place of an earlier one. */
  onEnd(call: ((reason: OutboundError) => void) | undefined): void {
    this.#onEnd = call;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }
}
