import type { Socket } from 'node:net';
import type { Passage } from './network.js';

export interface OneWay {
  /** Applies a changed passage. */
  review(): void;
}

type Item = { dueAt: number; chunk: Buffer } | { dueAt: number; closed: true };

/**
 * Passes on what one socket receives to another, in order, as the passage says. The end of a connection is passed on
 * like a byte: through a network that is cut, nobody learns that the other side is gone.
 */
export function passOneWay(
  from: Socket,
  to: Socket,
  passage: () => Passage,
  onChunk: (chunk: Buffer) => void = () => undefined,
): OneWay {
  const waiting: Item[] = [];
  let timer: NodeJS.Timeout | undefined;

  function pass(): void {
    clearTimeout(timer);
    if (passage().held) {
      from.pause();
      return;
    }
    from.resume();
    for (let item = waiting[0]; item !== undefined; item = waiting[0]) {
      const leftMs = item.dueAt - performance.now();
      if (leftMs > 0) {
        timer = setTimeout(pass, leftMs);
        return;
      }
      waiting.shift();
      if ('closed' in item) to.destroy();
      else {
        onChunk(item.chunk);
        if (!to.destroyed) to.write(item.chunk);
      }
    }
  }

  function add(what: { chunk: Buffer } | { closed: true }): void {
    waiting.push({ ...what, dueAt: performance.now() + passage().delayMs });
    pass();
  }

  from.setNoDelay(true);
  from.on('data', (chunk: Buffer) => add({ chunk }));
  // A reset is followed by `close`.
  from.on('error', () => undefined);
  from.on('close', () => add({ closed: true }));
  return { review: pass };
}
