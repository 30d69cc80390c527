import { describe, expect, it } from '@jest/globals';
import { Interrupted, StartedParts } from '../../scripts/lib/started-parts.js';

/** Parts that write down when they are stopped. */
function stack() {
  const stopped: string[] = [];
  const reported: string[] = [];
  const part = (name: string) => ({ stop: async () => void stopped.push(name) });
  return { parts: new StartedParts((line) => reported.push(line)), part, stopped, reported };
}

describe('the parts that a script has started', () => {
  it('are stopped once, the last one first', async () => {
    const { parts, part, stopped } = stack();
    await parts.add('first', part('first'));
    await parts.add('second', Promise.resolve(part('second')));
    await Promise.all([parts.stop(), parts.stop()]);
    await parts.stop();
    expect(stopped).toEqual(['second', 'first']);
  });

  it('are stopped before the stop ends where one of them was still being started', async () => {
    const { parts, part, stopped } = stack();
    await parts.add('up', part('up'));
    let isUp: (started: { stop(): Promise<void> }) => void = () => undefined;
    const late = new Promise<{ stop(): Promise<void> }>((resolve) => {
      isUp = resolve;
    });
    const starting = parts.add('late', late);
    const stopping = parts.stop();
    isUp(part('late'));
    await expect(starting).rejects.toThrow(Interrupted);
    await stopping;
    expect(stopped).toEqual(['late', 'up']);
  });

  it('are stopped where they were added after the stop', async () => {
    const { parts, part, stopped } = stack();
    await parts.stop();
    await expect(parts.add('after', Promise.resolve(part('after')))).rejects.toThrow(Interrupted);
    expect(stopped).toEqual(['after']);
  });

  it('report one that does not stop, and not one that never started', async () => {
    const { parts, part, stopped, reported } = stack();
    await parts.add('good', part('good'));
    await parts.add('bad', { stop: () => Promise.reject(new Error('stuck')) });
    await expect(parts.add('failed', Promise.reject(new Error('no port')))).rejects.toThrow('no port');
    await parts.stop();
    expect(stopped).toEqual(['good']);
    expect(reported).toEqual(['Could not stop bad: stuck']);
  });

  it('go on until the caller stops them after an interruption', async () => {
    const { parts, part, stopped } = stack();
    parts.interrupt();
    await expect(parts.add('one', part('one'))).rejects.toThrow(Interrupted);
    expect(stopped).toEqual([]);
    await parts.stop();
    expect(stopped).toEqual(['one']);
  });
});
