import { setMaxListeners } from 'node:events';
import type { Clock, Random } from '../../../server/ports.js';
import { openLedger } from '../ledger.js';
import type { Credentials, Target, Traffic } from '../ports.js';
import { createAnswerLog } from './answers.js';
import { createClients } from './clients.js';
import type { TrafficContext } from './context.js';
import { createDisputes } from './disputes.js';
import { createFollowers } from './followers.js';
import { createInstanceFetch } from './instance-fetch.js';
import { createOffRamps } from './off-ramps.js';
import { read, readAgain } from './readers.js';
import { defaultSettings, type TrafficSettings } from './settings.js';
import { settle } from './settle.js';
import type { TrafficSurroundings } from './surroundings.js';
import { tick } from './ticks.js';
import { registerUnpaid } from './unpaid.js';
import { createWebhooks } from './webhooks.js';

export { startSurroundings, type TrafficSurroundings } from './surroundings.js';

export interface TrafficOptions {
  target: Target;
  surroundings: TrafficSurroundings;
  credentials: Credentials;
  random: Random;
  clock: Clock;
  /** The file to which acknowledged answers are written before they count. */
  ledgerFile: string;
  settings?: Partial<TrafficSettings>;
}

/** Part of the two minutes reserved for the time after the storm. */
const settleWithinMs = 100_000;

/**
 * Readers, wallets, parties to disputes, an operator, receivers and a scheduler, all at the same time, against whichever
 * instances there are. Resolves when the first webhooks are registered, so that every event has a receiver.
 */
export async function createTraffic(options: TrafficOptions): Promise<Traffic> {
  const { target, surroundings, credentials, random, clock, ledgerFile } = options;
  const ledger = await openLedger(ledgerFile);
  const answers = createAnswerLog();
  const ending = new AbortController();
  const over = new AbortController();
  /** Ends the external scheduler, whose ticks make new events. */
  const lastTick = new AbortController();
  // Every activity under way listens for the end.
  setMaxListeners(0, ending.signal, over.signal);
  const refusals: string[] = [];
  const ended: string[] = [];
  const registered: string[] = [];
  const fetchOf = createInstanceFetch({ ledger, answers, clock });
  const context: TrafficContext = {
    clients: createClients({ fetchOf, choice: { target, random, clock }, credentials }),
    surroundings,
    ledger,
    settings: { ...defaultSettings, ...options.settings },
    random,
    clock,
    ending: ending.signal,
    over: over.signal,
    refused: (what) => void refusals.push(what),
  };
  const webhooks = createWebhooks(context);
  const followers = createFollowers(context);
  const disputes = createDisputes(context);
  const offRamps = createOffRamps({
    ...context,
    onRegistered(intentHash) {
      registered.push(intentHash);
      followers.sometimesFollow(intentHash);
    },
    onEnded(offRamp) {
      ended.push(offRamp.intent.intentHash);
      disputes.sometimesDispute(offRamp);
    },
  });
  /** The activities under way, by name. */
  const underWay = new Map<string, Promise<void>>();

  function begin(name: string, running: Promise<void>): void {
    const watched = running
      .catch((error: unknown) => {
        if (!over.signal.aborted) refusals.push(`The driver failed at ${name}: ${String(error)}`);
      })
      .finally(() => underWay.delete(name));
    underWay.set(name, watched);
  }

  surroundings.serve(target);
  surroundings.receivers.noteIn((delivery) => ledger.write(delivery));
  await webhooks.registerFirst();

  return {
    start() {
      begin(
        'reading',
        read(context, () => registered),
      );
      begin('reading again', readAgain(context));
      begin('off-ramps', offRamps.run());
      begin('unpaid intents', registerUnpaid(context));
      begin('registering webhooks', webhooks.registerLater());
      // These two continue while the rest settles.
      begin('keeping webhooks', webhooks.keep(over.signal));
      begin('ticking', tick(context, AbortSignal.any([lastTick.signal, over.signal])));
    },
    writesUnderWay: answers.writesUnderWay,
    async settle() {
      ending.abort();
      surroundings.calm();
      const deadlineMs = clock() + settleWithinMs;
      const settleBeside = (...goingOn: string[]) =>
        settle(context, {
          deadlineMs,
          ended: () => ended,
          underWay: () => [
            ...[...underWay.keys()]
              .filter((name) => !goingOn.includes(name))
              .map((name) => `${name} has not ended.`),
            ...offRamps.open().map((intentHash) => `The intent ${intentHash} is paid and has no outcome.`),
            ...disputes.open().map((intentHash) => `The dispute of ${intentHash} has not ended.`),
          ],
        });
      // What was begun may need a tick to end. The last one has events of its own, whose deliveries must end as well.
      await settleBeside('keeping webhooks', 'ticking');
      lastTick.abort();
      await settleBeside('keeping webhooks');
    },
    async stop() {
      ending.abort();
      over.abort();
      await Promise.all(underWay.values());
      await ledger.close();
    },
    answers: answers.all,
    refusals: () => refusals,
    counts: () => {
      const { followed, lost } = followers.counts();
      return {
        'off-ramps ended': ended.length,
        'streams followed': followed,
        'streams lost and resumed': lost,
      };
    },
  };
}
