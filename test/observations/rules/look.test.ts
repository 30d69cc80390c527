import { describe, expect, it } from '@jest/globals';
import { createLook } from '../../../server/features/observations/look.js';
import { type Outbound, OutboundError, type OutboundFailure } from '../../../server/outbound/outbound.js';

/** An anchor that answers after this many milliseconds of the clock, or fails. */
function anchorThat(does: { tookMs: number; failure?: OutboundFailure; status?: number }) {
  const world = { now: 0, calls: 0 };
  const outbound: Outbound = async () => {
    world.calls += 1;
    world.now += does.tookMs;
    if (does.failure !== undefined) throw new OutboundError(does.failure, 'failed');
    const { status = 200, tookMs: elapsedMs } = does;
    return { status, headers: {}, body: Buffer.from('{}'), truncated: false, elapsedMs };
  };
  return { world, look: createLook({ outbound, clock: () => world.now, mostCalls: 10 }) };
}

const asking = { service: 'sep38', url: 'https://anchor.example/price', maxBytes: 100 } as const;

describe('a look at an anchor', () => {
  it('begins no call that could not have its whole time before the 20 seconds are over', async () => {
    const { world, look } = anchorThat({ tookMs: 4_000 });
    for (let call = 0; call < 10; call += 1) await look.ask(asking);
    expect(world).toEqual({ now: 16_000, calls: 4 });
    expect(look.calls.map(({ outcome }) => outcome)).toEqual(Array(4).fill('answered'));
  });

  it('makes no more calls than its budget', async () => {
    const { world, look } = anchorThat({ tookMs: 1 });
    for (let call = 0; call < 20; call += 1) await look.ask(asking);
    expect([world.calls, look.made()]).toEqual([10, 10]);
  });

  it.each(['timeout', 'unreachable', 'blocked'] as const)(
    'leaves a service alone after %s',
    async (failure) => {
      const { world, look } = anchorThat({ tookMs: 1, failure });
      await look.ask(asking);
      await look.ask(asking);
      await look.ask({ ...asking, service: 'sep24' });
      expect(world.calls).toBe(2);
      expect(look.broken('sep38')).toBe(failure);
    },
  );

  it('asks on after an answer that cannot be read', async () => {
    const { world, look } = anchorThat({ tookMs: 1, failure: 'too_large' });
    await look.ask(asking);
    await look.ask(asking);
    expect([world.calls, look.calls[1]?.outcome]).toEqual([2, 'malformed']);
  });

  it('notes nothing of a service that asks for a pause, and leaves it alone', async () => {
    const { world, look } = anchorThat({ tookMs: 1, status: 429 });
    await look.ask(asking);
    await look.ask(asking);
    expect([world.calls, look.made(), look.calls, look.broken('sep38')]).toEqual([1, 1, [], 'paused']);
  });
});
