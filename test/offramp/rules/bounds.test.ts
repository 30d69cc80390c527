import { describe, expect, it } from '@jest/globals';
import { isSafeUrl } from '../../../contract/offramp/discovery.js';
import { OfframpError } from '../../../contract/offramp/index.js';
import { smallWorld, stored } from '../../fixtures/offramp/two-runs.js';

describe('what an anchor answers', () => {
  it('without an end is not read to the end', async () => {
    const world = smallWorld();
    let pieces = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pieces += 1;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const options = { fetch: async () => new Response(endless), patienceMs: 0 };
    const { ended } = await world.run(stored.attached, { options });
    expect(ended).toMatchObject({ code: 'anchor_unavailable', moneyMoved: 'no' });
    expect(pieces).toBeLessThan(40);
  });

  it('leads to no http address but on the own machine, and only from there', () => {
    expect(isSafeUrl('http://127.0.0.1:8000/auth', 'http:')).toBe(true);
    expect(isSafeUrl('http://127.0.0.1:8000/auth', 'https:')).toBe(false);
    expect(isSafeUrl('http://anchor.example/auth', 'http:')).toBe(false);
    expect(isSafeUrl('https://anchor.example/auth', 'http:')).toBe(true);
  });

  it('as paid out counts as fiat only in the currency that was quoted', async () => {
    for (const [asset, amountOut] of [
      ['iso4217:NGN', '5'],
      ['stellar:native', null],
    ] as const) {
      const world = smallWorld();
      world.knobs.record = { amount_out: '5', amount_out_asset: 'iso4217:NGN' };
      const onState = ({ step }: { step: string }) => {
        if (step !== 'reported') return;
        world.knobs.status = 'completed';
        world.knobs.record = { amount_out: '5', amount_out_asset: asset };
      };
      const { ended } = await world.run(stored.instructed, { options: { onState } });
      expect(ended).toMatchObject({ amountOut });
    }
  });
});

describe('an error', () => {
  it.each([
    ['withdrawal_ended', 'no', false],
    ['sequence_taken', 'unknown', false],
    ['wallet_refused', 'no', true],
    ['anchor_error', 'yes', true],
  ] as const)('%s says whether it is of use to resume', (code, moneyMoved, resumable) => {
    expect(new OfframpError(code, { moneyMoved, state: stored.instructed }).resumable).toBe(resumable);
    expect(new OfframpError(code, { moneyMoved, state: null }).resumable).toBe(false);
  });
});
