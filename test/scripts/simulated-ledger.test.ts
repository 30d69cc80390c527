import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { publicKeyOf } from '../../contract/verification/ed25519.js';
import { encodePublicKey } from '../../contract/verification/strkey.js';
import { createBook } from '../../scripts/simulated-ledger/book.js';
import { noFaults, viewOf } from '../../scripts/simulated-ledger/faults.js';
import { answerHorizon } from '../../scripts/simulated-ledger/horizon.js';
import { startSimulatedLedger } from '../../scripts/simulated-ledger/index.js';
import { buildTransaction } from '../../scripts/simulated-ledger/payments.js';

const folder = mkdtempSync(join(tmpdir(), 'fairlead-ledger-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const account = (byte: number) => encodePublicKey(publicKeyOf(new Uint8Array(32).fill(byte)));

describe('the simulated ledger', () => {
  it('has its payments and balances again after a restart', async () => {
    const options = { clock: () => 1_795_353_830_000, stateFile: join(folder, 'ledger.json') };
    const pay = (amount: string) => ({ source: account(1), payments: [{ to: account(2), amount }] });
    const first = await startSimulatedLedger(options);
    const { hash } = first.pay(pay('999999'));
    await first.stop();

    const second = await startSimulatedLedger({ ...options, clock: () => options.clock() + 60_000 });
    const answer = await fetch(`${second.horizonUrl}/transactions/${hash}`);
    const tooMuch = second.pay(pay('2'));
    await second.stop();
    expect(answer.status).toBe(200);
    expect(tooMuch.successful).toBe(false);
  });

  it.each(['payments', 'transactions'])('decodes no transaction twice for repeated looks at %s', (part) => {
    let nowMs = 1_795_353_830_000;
    const clock = () => nowMs;
    const book = createBook({ clock, closeMs: 1_000, saved: [] });
    let decodings = 0;
    for (let sequence = 1; sequence <= 3; sequence += 1) {
      const payments = [{ to: account(2), amount: '1' }];
      const entry = book.submit(
        buildTransaction({ source: account(1), payments, sequence: String(sequence) }),
      );
      const { envelope } = entry;
      Object.defineProperty(entry, 'envelope', {
        get() {
          decodings += 1;
          return envelope;
        },
      });
    }
    nowMs += 1_000;
    const view = viewOf(book, clock, () => noFaults);
    const look = (of: string) =>
      answerHorizon(`/accounts/${of}/${part}`, new URLSearchParams({ cursor: '0' }), view, book.sequenceOf);
    expect(look(account(3)).json).toEqual({ _embedded: { records: [] } });
    for (let looks = 0; looks < 5; looks += 1) look(account(4));
    expect(decodings).toBe(3);
  });
});
