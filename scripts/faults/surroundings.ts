import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import express from 'express';
import { verifyWebhook } from '../../contract/verification/verify-webhook.js';
import type { Random } from '../../server/ports.js';
import { listenOnLoopback } from '../lib/loopback-server.js';
import type { StartedParts } from '../lib/started-parts.js';
import { startReferenceOracle } from '../reference-oracle/index.js';
import { addAnchors } from '../simulated-anchors/add-anchors.js';

/** A POST that a receiver of webhooks got and acknowledged. */
export interface Delivery {
  webhook: string;
  event: string;
  eventId: string;
  /** Of the intent, dispute or batch that the event is about. */
  about: string;
  body: string;
  /** Why the receiver's verification refused it. */
  fault: string | null;
}

/** The parts around the service. They are not broken, but some answer badly now and then. */
export type Surroundings = Awaited<ReturnType<typeof startSurroundings>>;

export const anchorIds = ['harbour', 'squall', 'galleon'] as const;
export const corridor = 'usdc-ngn';
export const receiverSecret = 'a secret of the receivers of the storm';

/** Settlements that take minutes in the profiles take seconds. */
const pace = 0.005;

export async function startSurroundings(
  parts: StartedParts,
  { random, folder }: { random: Random; folder: string },
) {
  const clock = Date.now;
  const fleet = { folder, random, anchors: [...anchorIds], pace, tickMs: 250, latencyFactor: 0.2 };
  const { anchors, ledger, env } = await addAnchors(parts, fleet);
  for (const anchor of anchors.anchors) anchor.setProfile({ outage: null });
  anchors.anchor('squall').setProfile({ faults: { error500: 0.05, html: 0.03, hang: 0 } });
  const stateFile = join(folder, 'oracle.jsonl');
  const oracle = await parts.add('the oracle', startReferenceOracle({ clock, stateFile }));
  oracle.behaveAlways(() => {
    const chance = random();
    if (chance < 0.06) return chance < 0.03 ? 'lose' : 'fail';
    return 'honest';
  });
  const receiver = await parts.add('the receiver', startReceiver(random));
  return {
    anchors,
    ledger,
    oracle,
    /** Where webhooks are sent to, by the name of a receiver: `steady`, `slow` or `flaky` and a number. */
    receiverUrl: (name: string) => `${receiver.origin}/${name}`,
    deliveries: receiver.deliveries,
    /** Environment of every process of the service. */
    env: {
      ...env,
      SCHEDULER: 'on',
      LOG_LEVEL: 'warn',
      DRAIN_SECONDS: '1',
      ORACLE_URL: oracle.url,
      PUBLISHER_SECRET_KEY: '5f'.repeat(32),
    },
    /** From now on everything answers correctly and at once. */
    calm() {
      oracle.behaveAlways(() => 'honest');
      receiver.calm();
    },
  };
}

async function startReceiver(random: Random) {
  const deliveries: Delivery[] = [];
  let isCalm = false;
  const app = express().disable('x-powered-by');
  app.use(express.raw({ type: () => true, limit: 64 * 1_024 }));
  app.post('/:name', async ({ params: { name }, body, headers }, response) => {
    const chance = isCalm ? 1 : random();
    if (name.startsWith('flaky') && chance < 0.1) {
      if (chance < 0.05) response.status(500).end();
      else response.destroy();
      return;
    }
    if (name.startsWith('slow') && !isCalm) await delay(random() * 1_500);
    const text = String(body);
    const { id, event, data } = JSON.parse(text);
    const about = String(data.sequence ?? data.disputeId ?? data.intentHash ?? data.anchorId);
    deliveries.push({ webhook: name, event, eventId: id, about, body: text, fault: faultOf(body, headers) });
    response.status(204).end();
  });
  const server = await listenOnLoopback(app);
  return {
    origin: server.origin,
    deliveries,
    calm() {
      isCalm = true;
    },
    stop: () => server.stop(),
  };
}

function faultOf(body: Buffer, headers: Record<string, string | string[] | undefined>): string | null {
  try {
    const { id } = verifyWebhook({ body, headers, secret: receiverSecret });
    return id === headers['webhook-id'] ? null : 'the header names another event than the body';
  } catch (error) {
    return String(error);
  }
}
