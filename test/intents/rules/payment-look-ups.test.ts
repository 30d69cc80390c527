import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Intent } from '../../../server/features/intents/intent.js';
import { createLookUpPayments } from '../../../server/features/intents/payment-look-ups.js';
import { withNamed } from '../../../server/features/intents/payment-state.rules.js';
import { instructions, payer, realShapes, terms } from '../../fixtures/intents/payment-cases.js';
import { unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { type OpenLedger, openLedger } from '../../fixtures/ledger/ledger-fixture.js';
import { silentLogger } from '../../support/silent-logger.js';

let ledger: OpenLedger;
beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger?.close());

it('a claimed transaction passes to its payer although its holder is polled at the same time', async () => {
  const startMs = ledger.now();
  ledger.pass(5_000);
  const { hash } = ledger.simulated.pay({ source: payer, payments: [], ...realShapes[0]?.[1] });
  ledger.pass(5_000);
  const common = { transactionId: 'w', ...terms(startMs), createdAt: new Date(startMs) };
  const base = unpaidIntent(1);
  const holder: Intent = {
    ...unpaidIntent(2, common as Partial<Intent>),
    payment: { ...base.payment, instructions: [instructions(startMs)] },
  };
  const claimant: Intent = {
    ...base,
    ...terms(startMs),
    createdAt: new Date(startMs),
    claimedId: 'w',
    payment: withNamed(base.payment, hash, 'wallet', startMs),
  };
  const due: (Intent | null)[] = [claimant];
  const asked: string[] = [];
  const passed: number[] = [];
  const lookUps = createLookUpPayments({
    store: {
      findCurrent: async () => ({ ...claimant, version: claimant.version + passed.length }),
      findByTransaction: async () => holder,
      findFirstClaimant: async () => null,
      saveProgress: async () => true,
    },
    lookUps: { claimDue: async () => due.shift() ?? null },
    ledger: {
      find: (wanted, sinceMs) => {
        asked.push(wanted);
        return ledger.asking({ rpc: true }).find(wanted, sinceMs);
      },
    },
    ownership: {
      passToPayer: async (_holder, { version }) => {
        passed.push(version);
        return passed.length < 3 ? 'changed_meanwhile' : 'passed';
      },
    },
    progress: async () => undefined as never,
    clock: ledger.now,
    pauseBeforeTry: async () => undefined,
    logger: silentLogger,
  });
  expect(await lookUps(() => true)).toBe(1);
  expect(asked).toEqual([hash]);
  expect(passed).toEqual([0, 1, 2].map((nth) => claimant.version + nth));
});

/**
 * A holder whose record names a payment that the claimant made, and the look-ups that find this out. `saves`: whether a
 * change of the claimant is written.
 */
function paidByClaimant(startMs: number, saves: () => boolean) {
  ledger.pass(5_000);
  const { hash } = ledger.simulated.pay({ source: payer, payments: [], ...realShapes[0]?.[1] });
  ledger.pass(5_000);
  const base = unpaidIntent(1);
  const claimant: Intent = { ...base, ...terms(startMs), claimedId: 'w' };
  const holder: Intent = {
    ...unpaidIntent(2, { transactionId: 'w', createdAt: new Date(startMs) }),
    payment: withNamed({ ...base.payment, instructions: [instructions(startMs)] }, hash, 'anchor', startMs),
  };
  const due: (Intent | null)[] = [holder];
  const writes: unknown[] = [];
  const lookUps = createLookUpPayments({
    store: {
      findCurrent: async () => holder,
      findByTransaction: async () => holder,
      findFirstClaimant: async () => claimant,
      saveProgress: async ({ intent, change }) => {
        const written = saves();
        if (written) writes.push([intent._id, change.payment?.named]);
        return written;
      },
    },
    lookUps: { claimDue: async () => due.shift() ?? null },
    ledger: ledger.asking({ rpc: true }),
    ownership: { passToPayer: async () => 'kept' },
    progress: async (intentHash, { lookUp }) => {
      writes.push([intentHash, lookUp?.finding]);
      return undefined;
    },
    clock: ledger.now,
    pauseBeforeTry: async () => undefined,
    logger: silentLogger,
  });
  const told = [claimant._id, [expect.objectContaining({ hash, by: 'anchor' })]];
  const found = [holder._id, expect.objectContaining({ problem: 'other_sender' })];
  return { lookUps, writes, told, found };
}

it('the claimant that paid is told before the finding about the holder is final', async () => {
  let tries = 0;
  const { lookUps, writes, told, found } = paidByClaimant(ledger.now(), () => ++tries > 2);
  expect(await lookUps(() => true)).toBe(1);
  expect(writes).toEqual([told, found]);
});

it('the finding about the holder is left for the next look-up where the claimant cannot be told', async () => {
  const { lookUps, writes } = paidByClaimant(ledger.now(), () => false);
  expect(await lookUps(() => true)).toBe(1);
  expect(writes).toEqual([]);
});

it('a pass that fails ends only after all its look-ups have ended', async () => {
  const base = unpaidIntent(1);
  const payment = { ...base.payment, instructions: [instructions(ledger.now())] };
  const intentOf = (hash: string): Intent => ({
    ...base,
    transactionId: hash,
    payment: withNamed(payment, hash, 'wallet', ledger.now()),
  });
  const due = ['a', 'b'].map((digit) => intentOf(digit.repeat(64)));
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const lost = new Error('the database was lost');
  const ended: string[] = [];
  const lookUps = createLookUpPayments({
    store: {
      findCurrent: async () => null,
      findByTransaction: async () => null,
      findFirstClaimant: async () => null,
      saveProgress: async () => true,
    },
    lookUps: { claimDue: async () => due.shift() ?? null },
    ledger: {
      async find(hash) {
        if (hash.startsWith('a')) throw lost;
        await answered;
        return { kind: 'not_found', source: 'rpc' };
      },
    },
    ownership: { passToPayer: async () => 'kept' },
    progress: async () => {
      ended.push('look-up');
      return undefined;
    },
    clock: ledger.now,
    pauseBeforeTry: async () => undefined,
    logger: silentLogger,
  });
  const pass = lookUps(() => true).catch((error: unknown) => {
    ended.push('pass');
    return error;
  });
  await new Promise(setImmediate);
  answer();
  expect(await pass).toBe(lost);
  expect(ended).toEqual(['look-up', 'pass']);
});
