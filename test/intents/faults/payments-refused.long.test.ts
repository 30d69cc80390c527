import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { matchPayment } from '../../../server/features/intents/payment/payment-match.rules.js';
import {
  anchor,
  instructions,
  nearMisses,
  payer,
  realShapes,
  terms,
} from '../../fixtures/intents/payment-cases.js';
import { type OpenLedger, openLedger } from '../../fixtures/ledger/ledger-fixture.js';

/** The ledger is read through both sources in turn, over real sockets. */
let ledger: OpenLedger;
beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger?.close());

const memo = { type: 'id', value: '186384' } as const;
const whole = { memo, payments: [{ to: anchor, amount: '100' }] };

async function judge(hash: string, place: number, startMs: number, named: object, storedAtMs = startMs) {
  const found = await ledger
    .asking(place % 2 === 0 ? { rpc: true } : { horizon: true })
    .find(hash, startMs - 60_000);
  if (found.kind !== 'found') return found.kind;
  const match = matchPayment(found.transaction, terms(startMs), [instructions(storedAtMs, named)]);
  return match.kind === 'match' ? 'match' : match.problem;
}

describe('1,000 payments of which none is right', () => {
  it('are refused, each with its own reason', async () => {
    const wrong: string[] = [];
    for (let place = 0; place < 1_000; place += 1) {
      const startMs = ledger.now();
      ledger.pass(2_000);
      const kind = place % (nearMisses.length + 4);
      const [name, expected, of, named = {}] = nearMisses[kind] ?? ['whole', '', whole];
      const { hash } = ledger.simulated.pay({ source: payer, payments: [], ...of });
      ledger.pass(2_000);
      const judged = await (async () => {
        switch (kind - nearMisses.length) {
          case 0: // It was paid before the intent was registered.
            return (await judge(hash, place, ledger.now(), {})) === 'too_early';
          case 1: // The anchor's record said where to pay only afterwards.
            return (await judge(hash, place, startMs, {}, ledger.now())) === 'no_instructions';
          case 2: // It does not exist.
            return (await judge(randomBytes(32).toString('hex'), place, startMs, {})) === 'not_found';
          case 3: // It is paid to a place that only the wallet names.
            return (await judge(hash, place, startMs, { account: payer })) === 'other_destination';
          default:
            return (await judge(hash, place, startMs, named)) === expected;
        }
      })();
      if (!judged) wrong.push(`${place}: ${name}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('100 payments in the shapes that wallets pay in', () => {
  it('are all accepted', async () => {
    const judged: string[] = [];
    for (let place = 0; place < 100; place += 1) {
      const startMs = ledger.now();
      const [, of, named = {}] = realShapes[place % realShapes.length] ?? ['', whole];
      const { hash, innerHash } = ledger.simulated.pay({ source: payer, payments: [], ...of });
      ledger.pass(2_000);
      // Two of the five fee bumps are looked up by their inner hash.
      judged.push(await judge(place % 3 === 0 ? (innerHash ?? hash) : hash, place, startMs, named));
    }
    expect(judged).toEqual(Array(100).fill('match'));
  });
});
