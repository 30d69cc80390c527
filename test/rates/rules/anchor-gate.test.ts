import { describe, expect, it } from '@jest/globals';
import { type Caller, createAnchorGate, type GatedCall } from '../../../server/features/rates/anchor-gate.js';

/** A gate whose clock moves only when the test moves it; `wait` uses that clock. */
function gateOf() {
  let nowMs = 0;
  let sleepers: { until: number; wake: () => void }[] = [];
  const gate = createAnchorGate({
    clock: () => nowMs,
    limits: { callsPerSecond: 20, inFlight: 20 },
    wait: (ms) => new Promise<void>((wake) => void sleepers.push({ until: nowMs + ms, wake })),
  });
  return {
    /** Makes a call that is answered at once; resolves to the time of the call, or to the reason for refusing it. */
    async ask(caller: Caller): Promise<number | string> {
      const call = async (): Promise<GatedCall<number>> => ({ value: nowMs, health: 'well' });
      const outcome = await gate.run(caller, call);
      return outcome.made ? outcome.value : outcome.reason;
    },
    /** Moves the clock in steps of 50 ms. */
    async pass(ms: number) {
      for (const end = nowMs + ms; nowMs < end; ) {
        await settle();
        nowMs += 50;
        const due = sleepers.filter(({ until }) => until <= nowMs);
        sleepers = sleepers.filter(({ until }) => until > nowMs);
        for (const { wake } of due) {
          wake();
          await settle();
        }
      }
    },
  };
}

async function settle() {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
}

const anchorId = 'harbour';
const other = (priority: 'reference' | 'known' | 'new'): Caller => ({ anchorId, priority });
const intentOf = (client: string): Caller => ({ anchorId, priority: 'intent', client });
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('an intent that finds the budget used up', () => {
  it('is called for within two seconds, where any other question is refused at once', async () => {
    const { ask, pass } = gateOf();
    for (const _ of many(40)) await ask(other('new'));
    expect(await ask(other('new'))).toBe('busy');
    const asked = many(10).map(() => ask(intentOf('a')));
    await pass(2_100);
    const calledAt = await Promise.all(asked);
    expect(calledAt.filter((each) => typeof each !== 'number')).toEqual([]);
    // Intents have four calls per second of their own, and those that others leave.
    expect(calledAt.slice(0, 4)).toEqual([0, 0, 0, 0]);
  });

  it('gets a quote before the second one of 20 clients that ask for a stream of them', async () => {
    const { ask, pass } = gateOf();
    const streams = many(20).flatMap((client) => many(20).map(() => ask(intentOf(`stream ${client}`))));
    await pass(2_500);
    const quoted: (number | string)[] = [];
    for (const index of many(10)) {
      const again = many(20).map((client) => ask(intentOf(`stream ${client}`)));
      const asked = ask(intentOf(`genuine ${index}`));
      await pass(2_500);
      quoted.push(await asked);
      streams.push(...again);
    }
    expect(quoted.filter((each) => typeof each !== 'number')).toEqual([]);
    const refused = (await Promise.all(streams)).filter((each) => each === 'busy');
    expect(refused.length).toBeGreaterThan(300);
  });

  it('is refused where it waits for more than two seconds, or 32 others come before it', async () => {
    const { ask, pass } = gateOf();
    const asked = many(200).map((index) => ask(intentOf(`client ${index}`)));
    const last = asked.at(-1);
    await settle();
    // The 14 calls of this second are used, and 32 intents wait.
    expect(await last).toBe('busy');
    await pass(2_500);
    const calledAt = (await Promise.all(asked)).filter((each) => typeof each === 'number');
    expect(calledAt.length).toBe(14 + 28);
  });
});
