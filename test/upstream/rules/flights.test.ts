import { describe, expect, it } from '@jest/globals';
import { createFlights } from '../../../server/upstream/flights.js';

/** Work that ends when it is told to. */
function work() {
  const pending: ((value: string) => void)[] = [];
  const begin = () => new Promise<string>((resolve) => pending.push(resolve));
  return {
    begin,
    begun: () => pending.length,
    end: (place: number, value: string) => pending[place]?.(value),
  };
}

describe('work under way', () => {
  it('is joined by whoever asks for the same key, and begun anew once it has ended', async () => {
    const join = createFlights<string>();
    const { begin, begun, end } = work();
    const both = [join('a', 1, begin), join('a', 1, begin)];
    void join('b', 1, begin);
    expect(begun()).toBe(2);
    end(0, 'first');
    expect(await Promise.all(both)).toEqual(['first', 'first']);
    void join('a', 1, begin);
    expect(begun()).toBe(3);
  });

  it('of an earlier epoch is not joined, and its end does not end what came after it', async () => {
    const join = createFlights<string>();
    const { begin, begun, end } = work();
    const outdated = join('a', 1, begin);
    const present = join('a', 2, begin);
    end(0, 'outdated');
    expect(await outdated).toBe('outdated');
    expect(join('a', 2, begin)).toBe(present);
    expect(begun()).toBe(2);
  });

  it('that fails is begun again by the next one', async () => {
    const join = createFlights<string>();
    await expect(join('a', 1, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await join('a', 1, async () => 'yes')).toBe('yes');
  });
});
