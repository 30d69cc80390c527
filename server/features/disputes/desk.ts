import type { ClientSession } from 'mongoose';
import type { AdminDispute, ResolveDisputeBody } from '../../../contract/schemas/disputes.js';
import type { Emit } from '../../deliveries/deliveries.js';
import { ApiError } from '../../errors.js';
import type { InTransaction } from '../../mongo/transactions.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import type { Clock, Logger } from '../../ports.js';
import type { IntentDocument } from '../intents/intent-document.js';
import { toAdminDispute, toEventData } from './dispute-answer.rules.js';
import type { Effect } from './entitlement.rules.js';
import type { DisputeModel, DisputeRecord } from './store.js';

export interface DeskDeps {
  model: DisputeModel;
  findIntent: (intentHash: string, session?: ClientSession) => Promise<IntentDocument | null>;
  applyDispute: (session: ClientSession, intentHash: string, effect: Effect) => Promise<boolean>;
  inTransaction: InTransaction;
  writeEvent: Emit;
  clock: Clock;
  logger: Logger;
}

export interface DisputeList {
  status?: DisputeRecord['status'] | undefined;
  anchor?: string | undefined;
  limit?: string | undefined;
  cursor?: string | undefined;
}

/** Where admins decide. */
export interface DisputeDesk {
  /** Newest first. */
  list(request: DisputeList): Promise<{ items: AdminDispute[]; nextCursor: string | null }>;
  /** Gives a verdict, or finds the same one given. Throws UNKNOWN_DISPUTE, DISPUTE_RESOLVED. */
  resolve(verdict: ResolveDisputeBody): Promise<AdminDispute>;
}

const idPattern = /^dsp_[0-9a-f]{36}$/;

export function createDisputeDesk(deps: DeskDeps): DisputeDesk {
  const { model, inTransaction, writeEvent } = deps;

  /** The dispute as this verdict leaves it; as it stands where one was given before; null where there is none. */
  async function decide(
    session: ClientSession,
    id: string,
    entry: DisputeRecord['audit'][number] & { action: 'accepted' | 'rejected' },
  ): Promise<{ dispute: DisputeRecord | null; decided: boolean }> {
    const dispute = await model
      .findOneAndUpdate(
        { _id: id, status: 'open' },
        { $set: { status: entry.action, resolvedAt: entry.at }, $push: { audit: entry } },
        { session, returnDocument: 'after' },
      )
      .lean<DisputeRecord>();
    if (dispute === null) {
      return { dispute: await model.findById(id).session(session).lean<DisputeRecord>(), decided: false };
    }
    if (dispute.status === 'accepted') await apply(session, dispute);
    await writeEvent(session, 'dispute.resolved', toEventData(dispute));
    return { dispute, decided: true };
  }

  /** A failure that the anchor has made good since the dispute was filed no longer stands, and is not judged. */
  async function apply(session: ClientSession, dispute: DisputeRecord): Promise<void> {
    const intent = await deps.findIntent(dispute.intentHash, session);
    if (intent?.outcome?.kind !== dispute.outcomeStatus) return;
    await deps.applyDispute(session, dispute.intentHash, dispute.effect);
  }

  return {
    async list({ status, anchor, ...page }) {
      const name = ['disputes', status ?? '*', anchor ?? '*'];
      const [before] = readCursor(page.cursor, name, [idPattern]) ?? [];
      const limit = readLimit(page.limit);
      const rows = await model
        .find({
          ...(status === undefined ? {} : { status }),
          ...(anchor === undefined ? {} : { anchorId: anchor }),
          ...(before === undefined ? {} : { _id: { $lt: before } }),
        })
        .sort({ _id: -1 })
        .limit(limit + 1)
        .lean<DisputeRecord[]>();
      const { items, nextCursor } = toPage(rows, limit, name, (last) => [last._id]);
      return { items: items.map(toAdminDispute), nextCursor };
    },

    async resolve({ id, action, note, actor }) {
      const entry = {
        at: new Date(deps.clock()),
        action: action === 'accept' ? 'accepted' : 'rejected',
        actor: actor ?? 'admin',
        note: note ?? null,
      } as const;
      const { dispute, decided } = await inTransaction((session) => decide(session, id, entry));
      if (dispute === null) throw new ApiError('UNKNOWN_DISPUTE', 'No dispute has this id.');
      if (dispute.status !== entry.action) {
        throw new ApiError('DISPUTE_RESOLVED', `The dispute was ${dispute.status} already.`);
      }
      if (decided) deps.logger.info({ disputeId: id, status: dispute.status }, 'dispute decided');
      return toAdminDispute(dispute);
    },
  };
}
