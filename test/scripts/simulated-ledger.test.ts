import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { publicKeyOf } from '../../contract/verification/ed25519.js';
import { encodePublicKey } from '../../contract/verification/strkey.js';
import { startSimulatedLedger } from '../../scripts/simulated-ledger/index.js';

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
});
