import { describe, expect, it } from '@jest/globals';
import { createPlaces } from '../../../server/streams/streams.js';
import { type HeldStream, heldStream } from '../../support/held-stream.js';

function places(max: number, maxPerClient: number) {
  const refusals: string[] = [];
  const meter = { opened: () => {}, closed: () => {}, refused: (why: string) => void refusals.push(why) };
  const { makeRoomFor, take } = createPlaces({ max, maxPerClient, meter });
  const open = (client: string, count = 1): HeldStream[] =>
    Array.from({ length: count }, () => {
      makeRoomFor(client);
      const stream = heldStream(client);
      take(stream);
      return stream;
    });
  return { refusals, open };
}

describe('places for streams', () => {
  it('are refused to a client that holds its own as RATE_LIMITED, and given to another', () => {
    const { open, refusals } = places(10, 2);
    open('a', 2);
    expect(() => open('a')).toThrow(
      expect.objectContaining({ code: 'RATE_LIMITED', extras: { retryAfter: 10 } }),
    );
    expect(refusals).toEqual(['client_full']);
    open('b');
  });

  it('go to a newcomer when all are taken: from the client that holds most, its oldest first', () => {
    const { open, refusals } = places(5, 5);
    const [one, two, three] = open('a', 3);
    const others = open('b', 2);
    open('c');
    expect([one, two, three].map((stream) => stream?.isEnded)).toEqual([true, false, false]);
    expect(others.map(({ isEnded }) => isEnded)).toEqual([false, false]);
    expect(refusals).toEqual(['displaced']);
  });

  it('are refused as NOT_READY when nobody holds two more than the newcomer, so that no two displace each other', () => {
    const { open, refusals } = places(4, 4);
    const held = [...open('a', 2), ...open('b', 2)];
    open('c');
    expect(() => open('c')).toThrow(
      expect.objectContaining({ code: 'NOT_READY', extras: { retryAfter: 10 } }),
    );
    expect(() => open('a')).toThrow(expect.objectContaining({ code: 'NOT_READY' }));
    expect(held.filter(({ isEnded }) => isEnded)).toHaveLength(1);
    expect(refusals).toEqual(['displaced', 'all_full', 'all_full']);
  });

  it('are there again once they are given back, however often they changed hands', () => {
    const { open } = places(2, 1);
    for (let times = 0; times < 100; times += 1) {
      for (const stream of [...open('a'), ...open('b')]) stream.close();
    }
    open('a');
    expect(() => open('a')).toThrow();
  });
});
