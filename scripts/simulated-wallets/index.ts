import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CorridorPage } from '../../contract/schemas/corridors.js';
import type { Random } from '../../server/ports.js';
import { pick } from '../lib/random.js';
import { offRamp, type SimulatedWallet, walletOf } from './off-ramp.js';

const intervalMs = 45_000;
const wallets = 60;

/** A wallet without an owner, derived from its number, so that it returns on other days. */
function wallet(number: number): SimulatedWallet {
  return walletOf(createHash('sha256').update(`fairlead simulated wallet ${number}`).digest());
}

/**
 * Off-ramps of simulated wallets, one every 45 seconds or so, through the public API: a service left running fills
 * its leaderboard by the very path that real ones take (`startOfframp`). What fails is left, as at an anchor that speaks
 * SEP-6 alone; the next one may go through.
 */
export function startSimulatedWallets(options: { serviceUrl: string; random: Random }) {
  const { serviceUrl, random } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await sleep(intervalMs * (0.5 + random()), undefined, { signal });
      await sellSomething().catch(() => undefined);
    }
  }

  /** Continues with the next one when this one is paid: the service follows it to its end. */
  async function sellSomething(): Promise<void> {
    const answer = await fetch(`${serviceUrl}/api/corridors`, { signal });
    const { items } = (await answer.json()) as CorridorPage;
    const corridor = pick(random, items);
    const anchor = pick(random, corridor.anchors);
    const paid = new AbortController();
    await offRamp({
      serviceUrl,
      corridor: corridor.id,
      anchorId: anchor.id,
      wallet: wallet(Math.floor(random() * wallets)),
      sellAmount: String(20 + Math.floor(random() * 400)),
      onState: ({ step }) => {
        if (step === 'reported') paid.abort();
      },
      signal: AbortSignal.any([signal, paid.signal, AbortSignal.timeout(intervalMs)]),
    });
  }

  const running = run().catch(() => undefined);
  return {
    /** Ends the off-ramp in progress. */
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}
