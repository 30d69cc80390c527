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
      findByHash: async () => ({ ...claimant, version: claimant.version + passed.length }),
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
    logger: silentLogger,
  });
  expect(await lookUps(() => true)).toBe(1);
  expect(asked).toEqual([hash]);
  expect(passed).toEqual([0, 1, 2].map((nth) => claimant.version + nth));
});
