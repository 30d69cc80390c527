import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../../contract/client/operations/client.js';
import type { IntentAnswer } from '../../../contract/client/types/intents.js';
import {
  OfframpError,
  type OfframpErrorCode,
  type OfframpState,
  resumeOfframp,
  startOfframp,
} from '../../../contract/offramp/index.js';
import { pick, randomBytes } from '../../lib/random.js';
import type { Ending } from '../../simulated-anchors/profiles.js';
import { simulatedNetwork } from '../../simulated-ledger/payments.js';
import { walletOf } from '../../simulated-wallets/wallet.js';
import { retryUntilAnswered } from './clients.js';
import type { TrafficContext } from './context.js';
import { anchorIds, corridor } from './surroundings.js';

/** An off-ramp whose payment is on the ledger, and how it ended. */
export interface EndedOffRamp {
  intent: IntentAnswer;
  /** The ending that the anchor was told to produce. */
  ending: Ending;
  /** The seed of the wallet's key. */
  seed: Uint8Array;
}

export interface OffRamps {
  /** Runs off-ramps, several at a time, until nothing new may begin and all have ended. */
  run(): Promise<void>;
  /** The paid intents without an outcome. */
  open(): readonly string[];
}

export interface OffRampsDeps extends TrafficContext {
  onRegistered(intentHash: string): void;
  onEnded(offRamp: EndedOffRamp): void;
}

const pollMs = 1_000;
const endings: readonly Ending[] = [
  ...Array<Ending>(16).fill('complete'),
  ...Array<Ending>(2).fill('refund'),
  'fail',
  'recover',
];
/** Errors with which an off-ramp stops because its anchor was told so. */
const ends: ReadonlySet<OfframpErrorCode> = new Set(['refunded', 'not_paid_out', 'anchor_error']);
/** Errors with which it stops because the service breaks a promise. */
const faults: ReadonlySet<OfframpErrorCode> = new Set([
  'service_refused',
  'service_mismatch',
  'not_followed',
  'already_paid',
  'sequence_taken',
]);

/** Wallets that sell through the anchors by `startOfframp`, paying on the simulated ledger. */
export function createOffRamps(deps: OffRampsDeps): OffRamps {
  const { clients, surroundings, settings, random, ending: nothingNew, over } = deps;
  const { anchors, ledger } = surroundings;
  const open = new Set<string>();

  async function offRamp(): Promise<void> {
    const seed = randomBytes(random, 32);
    const wallet = walletOf(seed);
    const service = clients.next();
    const anchorId = pick(random, anchorIds) ?? anchorIds[0];
    const ending = pick(random, endings) ?? 'complete';
    let latest: OfframpState | undefined;
    const options = {
      service,
      rpcUrl: ledger.rpcUrl,
      networkPassphrase: simulatedNetwork,
      pollMs,
      signal: over,
      open: async (url: string) => void (await (await fetch(url, { signal: over })).text()),
      onState(state: OfframpState) {
        latest = state;
        if (state.step === 'registered') deps.onRegistered(state.intentHash);
        if (state.step === 'started') choose(anchorId, state.withdrawal.id, ending);
        if (state.step === 'reported') open.add(state.intentHash);
      },
    };
    const sellAmount = String(20 + Math.floor(random() * 400));
    let error = await stopOf(() => startOfframp({ corridor, anchorId, sellAmount }, wallet, options));
    while (error?.resumable && !ends.has(error.code)) {
      await delay(pollMs, undefined, { signal: over });
      const { state } = error;
      if (state === null) break;
      error = await stopOf(() => resumeOfframp(state, wallet, options));
    }
    if (error !== undefined && faults.has(error.code))
      deps.refused(`The off-ramp of ${latest?.intentHash} stopped: ${error.message}`);
    if (latest === undefined || !open.has(latest.intentHash)) return;
    const intent = await endOf(service, latest.intentHash);
    open.delete(latest.intentHash);
    deps.onEnded({ intent, ending, seed });
  }

  /** Why it stopped; undefined where it was paid out. */
  async function stopOf(run: () => Promise<unknown>): Promise<OfframpError | undefined> {
    try {
      await run();
      return undefined;
    } catch (error) {
      over.throwIfAborted();
      if (error instanceof OfframpError) return error;
      throw error;
    }
  }

  /** Polls the intent until it has an outcome, which every paid intent gets. */
  async function endOf(service: Client, intentHash: string): Promise<IntentAnswer> {
    for (;;) {
      const answer = await retryUntilAnswered(
        () => service.intents.getIntent({ params: { intentHash } }),
        over,
      );
      if (answer.status === 200 && answer.body.outcome !== null) return answer.body;
      if (answer.status !== 200)
        deps.refused(`Reading the acknowledged intent ${intentHash} answers ${answer.status}.`);
      await delay(pollMs * 2, undefined, { signal: over });
    }
  }

  function choose(anchorId: string, withdrawalId: string, ending: Ending): void {
    const { withdrawals } = anchors.anchor(anchorId);
    const withdrawal = withdrawals.find(withdrawalId);
    if (withdrawal !== undefined) withdrawals.choose(withdrawal, ending);
  }

  async function oneAfterAnother(): Promise<void> {
    while (!nothingNew.aborted) await offRamp();
  }

  return {
    run: async () =>
      void (await Promise.all(Array.from({ length: settings.offRampsAtOnce }, oneAfterAnother))),
    open: () => [...open],
  };
}
