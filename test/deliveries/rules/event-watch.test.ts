import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createEventWatch } from '../../../server/deliveries/event-watch.js';

const windowMs = 250;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the watch for events', () => {
  function watched() {
    const seen = { opened: 0, looks: 0, closes: [] as (() => void)[] };
    const watch = createEventWatch({
      openStream: () => ({
        start: () => {
          seen.opened += 1;
        },
        stop: () => new Promise<void>((resolve) => seen.closes.push(resolve)),
      }),
      look: () => {
        seen.looks += 1;
      },
    });
    const loadFor = (windows: number) => {
      for (let window = 0; window < windows; window += 1) {
        for (let attempts = 0; attempts < 100; attempts += 1) watch.attempted();
        jest.advanceTimersByTime(windowMs);
      }
    };
    return { watch, seen, loadFor };
  }

  it('closes its stream once under high load, polls meanwhile, and opens one again after it', () => {
    const { watch, seen, loadFor } = watched();
    watch.start();
    loadFor(5);
    expect(seen).toMatchObject({ opened: 1, closes: { length: 1 } });
    expect(seen.looks).toBe((4 * windowMs) / 25);
    jest.advanceTimersByTime(2 * windowMs);
    expect(seen.opened).toBe(2);
    const { looks } = seen;
    jest.advanceTimersByTime(4 * windowMs);
    expect(seen.looks).toBe(looks);
  });

  it('waits at its stop for every stream that is being closed', async () => {
    const { watch, seen, loadFor } = watched();
    watch.start();
    loadFor(2);
    jest.advanceTimersByTime(windowMs);
    let stopped = false;
    const stopping = watch.stop().then(() => {
      stopped = true;
    });
    expect(seen.closes).toHaveLength(2);
    seen.closes[1]?.();
    await jest.advanceTimersByTimeAsync(0);
    expect(stopped).toBe(false);
    seen.closes[0]?.();
    await stopping;
  });
});
