import type { AdminDispute, ResolveDisputeBody } from '../../../contract/schemas/disputes.js';
import { ApiError, invalidRequest, unsupportedPair } from '../../errors.js';
import type { ClientSession } from '../../mongo/transactions.js';
import { daysOf } from '../../outcome-days.rules.js';
import { type PageQuery, readCursor, readLimit, toPage } from '../../paging.js';
import type { Logger } from '../../ports.js';
import type { Intent } from '../intents/intent.js';
import type { MarkDays, Standings } from '../reputation/count-days.js';
import { concerns, toAdminDispute, toEventData } from './dispute.rules.js';
import type { Effect } from './entitlement.rules.js';
import type { FilingDeps } from './filing.js';
import type { DisputeDocument, DisputeStore, Verdict } from './store.js';

export interface ReviewDeps
  extends Pick<FilingDeps, 'findIntent' | 'keepIntent' | 'inTransaction' | 'writeEvent' | 'clock'> {
  store: DisputeStore;
  findIntents: (intentHashes: readonly string[]) => Promise<Intent[]>;
  trueEffect: Standings['trueEffect'];
  /** Sets how the outcome counts, in the transaction of the verdict. */
  applyEffect: (session: ClientSession, intentHash: string, effect: Effect) => Promise<boolean>;
  markDays: MarkDays;
  /** Whether this anchor is or ever was in the fleet. */
  isKnownAnchor: (id: string) => Promise<boolean>;
  logger: Logger;
}

interface DisputeQuery extends PageQuery {
  status?: DisputeDocument['status'] | undefined;
  support?: AdminDispute['support'] | undefined;
  anchor?: string | undefined;
  intent?: string | undefined;
  id?: string | undefined;
}

/** The part of the list and the id of the last dispute on a page. */
const placePattern = [/^(un)?supported$/, /^dsp_[0-9a-f]{36}$/];

/** The admins' side of disputes. */
export function createDisputeReview(deps: ReviewDeps) {
  const { store, clock, logger } = deps;

  /** The dispute with this verdict (`decided`), or as an earlier verdict left it; null where there is none. */
  async function decide(
    session: ClientSession,
    id: string,
    verdict: Verdict,
  ): Promise<{ dispute: DisputeDocument | null; decided: boolean }> {
    const dispute = await store.findById(id, session);
    // A dispute that is decided already is not refused: the same verdict again changes nothing.
    if (dispute?.status !== 'open') return { dispute, decided: false };
    if (dispute.unsupported && verdict.action === 'accepted' && verdict.evidence === null) {
      const message = 'is required to accept a dispute of a transaction that the anchor never showed';
      throw invalidRequest([{ path: 'body.evidence', message }]);
    }
    const decided = await store.decide(session, id, verdict);
    if (decided === null) throw new Error('the dispute changed inside the transaction that decides it');
    await apply(session, decided);
    // The verdict is a change of its intent, too.
    await deps.keepIntent(session, decided.intentHash);
    await deps.writeEvent(session, 'dispute.resolved', toEventData(decided));
    return { dispute: decided, decided: true };
  }

  async function apply(session: ClientSession, dispute: DisputeDocument): Promise<void> {
    const intent = await deps.findIntent(dispute.intentHash, session);
    if (intent === null) return;
    if (intent.outcome === null) {
      // Accepting would have no effect, and rejecting would use up the only dispute that the party has.
      const message =
        'The intent was taken up again and has no outcome now; decide the dispute once it has one.';
      throw new ApiError('INTENT_UNRESOLVED', message);
    }
    if (dispute.status !== 'accepted' || !concerns(dispute, intent)) return;
    await deps.applyEffect(session, dispute.intentHash, dispute.effect);
    await deps.markDays(session, daysOf({ ...intent, disputeEffect: dispute.effect }));
  }

  /** The disputes, each with what accepting it changes, or has changed where no other dispute overruled it since. */
  async function present(disputes: readonly DisputeDocument[]): Promise<AdminDispute[]> {
    const found = await deps.findIntents(disputes.map(({ intentHash }) => intentHash));
    const intents = new Map(found.map((intent) => [intent._id, intent]));
    return Promise.all(
      disputes.map(async (dispute) =>
        toAdminDispute(dispute, await effectOn(intents.get(dispute.intentHash), dispute)),
      ),
    );
  }

  async function effectOn(intent: Intent | undefined, dispute: DisputeDocument) {
    if (intent === undefined || intent.outcome === null) return 'nothing';
    const { outcome } = intent;
    const applies =
      dispute.status === 'accepted' ? intent.disputeEffect === dispute.effect : concerns(dispute, intent);
    return applies ? deps.trueEffect({ ...intent, outcome }, dispute.effect) : 'nothing';
  }

  async function presentOne(dispute: DisputeDocument | null): Promise<AdminDispute> {
    const [answer] = await present(dispute === null ? [] : [dispute]);
    if (answer === undefined) throw new ApiError('UNKNOWN_DISPUTE', 'No dispute has this id.');
    return answer;
  }

  return {
    /** Supported ones first, newest first in each part. Throws UNSUPPORTED_PAIR for an anchor that was never in the fleet. */
    async list({ status, support, anchor: anchorId, intent: intentHash, id, ...page }: DisputeQuery) {
      if (anchorId !== undefined && !(await deps.isKnownAnchor(anchorId)))
        throw unsupportedPair('query.anchor', 'was never in the fleet');
      const name = ['disputes', ...[status, support, anchorId, intentHash, id].map((word) => word ?? '*')];
      const [part, last] = readCursor(page.cursor, name, placePattern) ?? [];
      const after = last === undefined ? undefined : { _id: last, unsupported: part === 'unsupported' };
      const unsupported = support && support === 'unsupported';
      const limit = readLimit(page.limit);
      const found = await store.list(
        { _id: id, status, unsupported, anchorId, intentHash },
        after,
        limit + 1,
      );
      const { items, nextCursor } = toPage(found, limit, name, (dispute) => [
        dispute.unsupported ? 'unsupported' : 'supported',
        dispute._id,
      ]);
      return { items: await present(items), nextCursor };
    },

    /** Throws UNKNOWN_DISPUTE. */
    get: async (id: string) => presentOne(await store.findById(id)),

    /**
     * Records the verdict; the same verdict again changes nothing. Throws UNKNOWN_DISPUTE, DISPUTE_RESOLVED, INVALID_REQUEST
     * where required evidence is missing, and INTENT_UNRESOLVED where an intent whose outcome was disputed has none now.
     */
    async resolve({ id, action, note, evidence, actor }: ResolveDisputeBody): Promise<AdminDispute> {
      const verdict: Verdict = {
        at: new Date(clock()),
        action: action === 'accept' ? 'accepted' : 'rejected',
        actor: actor ?? 'admin',
        note: note ?? null,
        evidence: evidence ?? null,
      };
      const { dispute, decided } = await deps.inTransaction((session) => decide(session, id, verdict));
      if (dispute !== null && dispute.status !== verdict.action)
        throw new ApiError('DISPUTE_RESOLVED', `The dispute was ${dispute.status} already.`);
      if (decided) logger.info({ disputeId: id, status: verdict.action }, 'dispute decided');
      return presentOne(dispute);
    },
  };
}
