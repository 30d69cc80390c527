import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import express from 'express';
import { verifyWebhook, WebhookVerificationError } from '../../../contract/verification/verify-webhook.js';
import type { Random } from '../../../server/ports.js';
import { listenOnLoopback } from '../../lib/loopback-server.js';
import type { EntryOf } from '../ledger-entries.js';

/**
 * How a receiver answers: `steady` acknowledges; `slow` does so after up to a second and a half; `flaky` fails now and then,
 * by a 500 or by breaking the connection; `refusing` answers a few deliveries with 410, which disables its webhook.
 */
export const receiverBehaviors = ['steady', 'slow', 'flaky', 'refusing'] as const;
export type ReceiverBehavior = (typeof receiverBehaviors)[number];

export interface Receivers {
  /** The value for OUTBOUND_ALLOW. */
  origin: string;
  /** The address to which a webhook of this number sends. */
  urlOf(behavior: ReceiverBehavior, number: number): string;
  /** Takes note of every delivery from now on; it is answered once `note` resolves. */
  noteIn(note: (delivery: EntryOf<'delivery_received'>) => Promise<void>): void;
  /** From now on all of them acknowledge at once. */
  calm(): void;
  stop(): Promise<void>;
}

/** The secret that every webhook of the traffic is registered with. */
export const receiverSecret = 'a secret of the receivers of the traffic';

const maxBodyBytes = 64 * 1_024;

/** All receivers, at one origin and with different paths. */
export async function startReceivers({ random }: { random: Random }): Promise<Receivers> {
  let note: ((delivery: EntryOf<'delivery_received'>) => Promise<void>) | undefined;
  let isCalm = false;
  const app = express().disable('x-powered-by').disable('etag');
  app.use(express.raw({ type: () => true, limit: maxBodyBytes }));
  app.post('/:behavior/:number', async ({ params, body, headers, originalUrl }, response) => {
    const bytes: Buffer = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const behavior = isCalm ? 'steady' : params.behavior;
    const answered = answerOf(behavior, random);
    const delivery = {
      kind: 'delivery_received',
      url: `${server.origin}${originalUrl}`,
      eventId: String(headers['webhook-id']),
      bodyHash: createHash('sha256').update(bytes).digest('hex'),
      fault: faultOf(bytes, headers),
      answered,
    } as const;
    if (behavior === 'slow') await delay(random() * 1_500);
    // What is not in the ledger is not acknowledged, as after it was closed.
    const noted = await note?.(delivery).then(
      () => true,
      () => false,
    );
    if (noted !== true) return void response.status(503).end();
    if (answered === null) response.destroy();
    else response.status(answered).end();
  });
  const server = await listenOnLoopback(app);
  return {
    origin: server.origin,
    urlOf: (behavior, number) => `${server.origin}/${behavior}/${number}`,
    noteIn(next) {
      note = next;
    },
    calm() {
      isCalm = true;
    },
    stop: () => server.stop(),
  };
}

function answerOf(behavior: string, random: Random): number | null {
  const chance = random();
  if (behavior === 'flaky' && chance < 0.08) return chance < 0.04 ? 500 : null;
  return behavior === 'refusing' && chance < 0.03 ? 410 : 200;
}

/** Instances whose clock is a minute off sign as well: the tolerance of the function has room for them. */
function faultOf(body: Buffer, headers: Record<string, string | string[] | undefined>): string | null {
  try {
    const { id } = verifyWebhook({ body, headers, secret: receiverSecret });
    return id === headers['webhook-id'] ? null : 'the header names another event than the body';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.message;
    throw error;
  }
}
