import { setTimeout as delay } from 'node:timers/promises';
import { signDispute } from '../../../contract/verification/sign-dispute.js';
import { retryUntilAnswered } from './clients.js';
import type { TrafficContext } from './context.js';
import type { EndedOffRamp } from './off-ramps.js';

export interface Disputes {
  /** Perhaps files a dispute against this outcome, and has it decided some seconds later. */
  sometimesDispute(offRamp: EndedOffRamp): void;
  /** The intents with a dispute that has begun and is not decided yet. */
  open(): readonly string[];
}

/** A key can file ten disputes a day: those of an anchor are soon used up. */
const mostOfAnAnchor = 8;
const decidedAfterMs = 4_000;

/** Wallets that dispute what was settled, anchors that dispute a refund, and an admin who decides. */
export function createDisputes(context: TrafficContext): Disputes {
  const { clients, surroundings, settings, random, over } = context;
  const filedBy = new Map<string, number>();
  const underWay = new Set<string>();

  /** The key of a party that may dispute it; undefined where none may, or none would. */
  function signerOf({ intent, ending, seed }: EndedOffRamp): Uint8Array | undefined {
    const { anchorId, status } = intent;
    if (status === 'settled' && ending === 'complete') return seed;
    const filed = filedBy.get(anchorId) ?? 0;
    if (status !== 'failed' || ending !== 'refund' || filed >= mostOfAnAnchor) return undefined;
    filedBy.set(anchorId, filed + 1);
    return surroundings.anchors.anchor(anchorId).context.signingKey.seed;
  }

  async function dispute(
    { intentHash, anchorId }: EndedOffRamp['intent'],
    secretKey: Uint8Array,
  ): Promise<void> {
    const body = signDispute({ intentHash, anchorId, reason: 'This is not what was agreed.', secretKey });
    const signer = clients.next();
    const filed = await retryUntilAnswered(() => signer.disputes.fileDispute({ body }), over);
    if (filed.status !== 200 && filed.status !== 201) {
      return context.refused(
        `A dispute of ${intentHash} was refused with ${filed.status} ${filed.body.code}.`,
      );
    }
    await delay(decidedAfterMs * random(), undefined, { signal: over });
    const action = random() < 0.5 ? ('accept' as const) : ('reject' as const);
    const admin = clients.operator();
    const { id } = filed.body;
    const decided = await retryUntilAnswered(
      () => admin.adminDisputes.resolveDispute({ body: { id, action, note: 'Decided.' } }),
      over,
    );
    if (decided.status !== 200)
      context.refused(`The decision on ${id} was refused with ${decided.status} ${decided.body.code}.`);
  }

  return {
    sometimesDispute(offRamp) {
      const secretKey = random() < settings.disputed ? signerOf(offRamp) : undefined;
      if (secretKey === undefined) return;
      const { intentHash } = offRamp.intent;
      underWay.add(intentHash);
      dispute(offRamp.intent, secretKey)
        .catch((error: unknown) => {
          if (!over.aborted)
            context.refused(`The driver failed at the dispute of ${intentHash}: ${String(error)}`);
        })
        .finally(() => underWay.delete(intentHash));
    },
    open: () => [...underWay],
  };
}
