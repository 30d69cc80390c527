import type { AdminDispute, ResolveDisputeBody } from '../../../contract/schemas/disputes.js';
import { ApiError, invalidRequest, unsupportedPair } from '../../errors.js';
import type { ClientSession, InTransaction } from '../../mongo/transactions.js';
import { daysOf } from '../../outcome-days.rules.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import type { Clock, Logger } from '../../ports.js';
import type { Emit } from '../../webhooks/outbox.js';
import type { Intent } from '../intents/intent.js';
import type { MarkDays } from '../reputation/count-days.js';
import type { PossibleVerdict, Standings } from '../reputation/standings.js';
import { applies, concerns, type Support, toAdminDispute, toEventData } from './dispute.rules.js';
import type { DisputableIntent, Effect } from './entitlement.rules.js';
import type { DisputeDocument, DisputePlace, DisputeStore, Verdict } from './store.js';

export interface ReviewDeps {
  store: DisputeStore;
  /** With a session, as that transaction sees it. */
  findIntent: (intentHash: string, session?: ClientSession) => Promise<DisputableIntent | null>;
  findIntents: (intentHashes: readonly string[]) => Promise<Intent[]>;
  trueEffects: Standings['trueEffects'];
  /** Sets how the outcome counts, in the transaction of the verdict. */
  applyEffect: (session: ClientSession, intentHash: string, effect: Effect) => Promise<boolean>;
  /** Makes the verdict a change of its intent, in the same transaction. */
  keepIntent: (session: ClientSession, intentHash: string) => Promise<boolean>;
  markDays: MarkDays;
  /** Whether this anchor is or ever was in the fleet. */
  isKnownAnchor: (id: string) => Promise<boolean>;
  inTransaction: InTransaction;
  writeEvent: Emit;
  clock: Clock;
  logger: Logger;
}

export interface DisputeList {
  status?: DisputeDocument['status'] | undefined;
  support?: Support | undefined;
  anchor?: string | undefined;
  intent?: string | undefined;
  id?: string | undefined;
  limit?: string | undefined;
  cursor?: string | undefined;
}

/** The admins' side of disputes. */
export interface DisputeReview {
  /** Supported ones first, newest first in each part. Throws UNSUPPORTED_PAIR for an anchor that was never in the fleet. */
  list(request: DisputeList): Promise<{ items: AdminDispute[]; nextCursor: string | null }>;
  /** Throws UNKNOWN_DISPUTE. */
  get(id: string): Promise<AdminDispute>;
  /**
   * Records the verdict; the same verdict again changes nothing. Throws UNKNOWN_DISPUTE, DISPUTE_RESOLVED, INVALID_REQUEST
   * where required evidence is missing, and INTENT_UNRESOLVED where an intent whose outcome was disputed has none now.
   */
  resolve(body: ResolveDisputeBody): Promise<AdminDispute>;
}

/** A cursor is the id of the last dispute on the page; this prefix marks an unsupported one. */
const unsupportedMark = 'unsupported:';
const placePattern = /^(unsupported:)?dsp_[0-9a-f]{36}$/;

export function createDisputeReview(deps: ReviewDeps): DisputeReview {
  const {
    store,
    findIntent,
    findIntents,
    trueEffects,
    applyEffect,
    markDays,
    inTransaction,
    writeEvent,
    clock,
    logger,
  } = deps;

  /** The dispute with this verdict (`decided`), or as an earlier verdict left it; null where there is none. */
  async function decide(
    session: ClientSession,
    id: string,
    verdict: Verdict,
  ): Promise<{ dispute: DisputeDocument | null; decided: boolean }> {
    if (verdict.action === 'accepted' && verdict.evidence === null) await refuseUnsupported(session, id);
    const dispute = await store.decide(session, id, verdict);
    if (dispute === null) return { dispute: await store.findById(session, id), decided: false };
    if (dispute.status === 'accepted') await apply(session, dispute);
    await deps.keepIntent(session, dispute.intentHash);
    await writeEvent(session, 'dispute.resolved', toEventData(dispute));
    return { dispute, decided: true };
  }

  /** A dispute that is decided already is not refused: the same verdict again changes nothing. */
  async function refuseUnsupported(session: ClientSession, id: string): Promise<void> {
    const dispute = await store.findById(session, id);
    if (dispute?.status !== 'open' || !dispute.unsupported) return;
    const message = 'is required to accept a dispute of a transaction that the anchor never showed';
    throw invalidRequest([{ path: 'body.evidence', message }]);
  }

  async function apply(session: ClientSession, dispute: DisputeDocument): Promise<void> {
    const intent = await findIntent(dispute.intentHash, session);
    if (intent !== null && intent.outcome === null) {
      // The verdict would have no effect, and the party has no other dispute.
      const message =
        'The intent was taken up again and has no outcome now; accept the dispute once it has one.';
      throw new ApiError('INTENT_UNRESOLVED', message);
    }
    if (intent === null || !concerns(dispute, intent)) return;
    await applyEffect(session, dispute.intentHash, dispute.effect);
    await markDays(session, daysOf({ ...intent, disputeEffect: dispute.effect }));
  }

  /** The disputes, each with the actual effect of accepting it. */
  async function present(disputes: readonly DisputeDocument[]): Promise<AdminDispute[]> {
    const found = await findIntents(disputes.map(({ intentHash }) => intentHash));
    const intents = new Map(found.map((intent) => [intent._id, intent]));
    const verdicts = new Map<string, PossibleVerdict>();
    for (const dispute of disputes) {
      const intent = intents.get(dispute.intentHash);
      if (!intent?.outcome || !applies(dispute, intent)) continue;
      const { outcome } = intent;
      verdicts.set(dispute._id, { intent: { ...intent, outcome }, effect: dispute.effect });
    }
    const effects = await trueEffects([...verdicts.values()]);
    const byDispute = new Map([...verdicts.keys()].map((id, index) => [id, effects[index]]));
    return disputes.map((dispute) => toAdminDispute(dispute, byDispute.get(dispute._id) ?? 'nothing'));
  }

  async function presentOne(dispute: DisputeDocument): Promise<AdminDispute> {
    const [answer] = await present([dispute]);
    return answer as AdminDispute;
  }

  return {
    async list({ status, support, anchor: anchorId, intent: intentHash, id, ...page }) {
      if (anchorId !== undefined && !(await deps.isKnownAnchor(anchorId)))
        throw unsupportedPair('query.anchor', 'was never in the fleet');
      const more = [support, intentHash, id].filter((word) => word !== undefined);
      const name = ['disputes', status ?? '*', anchorId ?? '*', ...more];
      const [place] = readCursor(page.cursor, name, [placePattern]) ?? [];
      const after = place === undefined ? undefined : toPlace(place);
      const unsupported = support === undefined ? undefined : support === 'unsupported';
      const limit = readLimit(page.limit);
      const found = await store.list({
        status,
        unsupported,
        anchorId,
        intentHash,
        id,
        after,
        limit: limit + 1,
      });
      const { items, nextCursor } = toPage(found, limit, name, (last) => [placeOf(last)]);
      return { items: await present(items), nextCursor };
    },

    async get(id) {
      const dispute = await store.findById(null, id);
      if (dispute === null) throw unknownDispute();
      return presentOne(dispute);
    },

    async resolve({ id, action, note, evidence, actor }) {
      const verdict: Verdict = {
        at: new Date(clock()),
        action: action === 'accept' ? 'accepted' : 'rejected',
        actor: actor ?? 'admin',
        note: note ?? null,
        evidence: evidence ?? null,
      };
      const { dispute, decided } = await inTransaction((session) => decide(session, id, verdict));
      if (dispute === null) throw unknownDispute();
      if (dispute.status !== verdict.action) {
        throw new ApiError('DISPUTE_RESOLVED', `The dispute was ${dispute.status} already.`);
      }
      if (decided) logger.info({ disputeId: id, status: dispute.status }, 'dispute decided');
      return presentOne(dispute);
    },
  };
}

function placeOf({ _id, unsupported }: DisputeDocument): string {
  return unsupported ? unsupportedMark + _id : _id;
}

function toPlace(word: string): DisputePlace {
  const unsupported = word.startsWith(unsupportedMark);
  return { unsupported, id: unsupported ? word.slice(unsupportedMark.length) : word };
}

function unknownDispute(): ApiError {
  return new ApiError('UNKNOWN_DISPUTE', 'No dispute has this id.');
}
