import { describe, expect, it } from '@jest/globals';
import { createPlaces, type StreamRefusal } from '../../../server/streams/places.js';

function places(max: number, maxPerClient: number) {
  const refusals: StreamRefusal[] = [];
  return { refusals, ...createPlaces({ max, maxPerClient, onRefusal: (why) => refusals.push(why) }) };
}

describe('places for streams', () => {
  it('are refused to a client that holds its own as RATE_LIMITED, and given to another', () => {
    const { take, refusals } = places(10, 2);
    take('a');
    take('a');
    expect(() => take('a')).toThrow(
      expect.objectContaining({ code: 'RATE_LIMITED', extras: { retryAfter: 10 } }),
    );
    expect(refusals).toEqual(['client_full']);
    take('b');
  });

  it('are refused to everybody as NOT_READY when all are taken', () => {
    const { take, refusals } = places(2, 2);
    take('a');
    take('b');
    expect(() => take('c')).toThrow(
      expect.objectContaining({ code: 'NOT_READY', extras: { retryAfter: 10 } }),
    );
    expect(refusals).toEqual(['all_full']);
  });

  it('are there again once they are given back, however often they changed hands', () => {
    const { take } = places(2, 1);
    for (let times = 0; times < 100; times += 1) {
      const give = [take('a'), take('b')];
      for (const each of give) each();
    }
    take('a');
    expect(() => take('a')).toThrow();
  });
});
