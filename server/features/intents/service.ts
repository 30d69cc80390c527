import type { ClientSession } from 'mongoose';
import type { CreateIntentBody, IntentAnswer, IntentDispute } from '../../../contract/schemas/intents.js';
import { ApiError } from '../../errors.js';
import type { DisputeEffect } from '../reputation/aggregatable-intent.js';
import { toAnswer } from './intent-answer.rules.js';
import type { IntentDocument } from './intent-document.js';
import { createRegistration, type RegistrationDeps } from './registration.js';
import {
  createTakeStatusCallback,
  type StatusCallbackDeps,
  type TakeStatusCallback,
} from './status-callback.js';

export interface IntentServiceDeps extends RegistrationDeps, Omit<StatusCallbackDeps, 'host'> {
  /** Address of this service as clients and anchors know it, without a trailing slash. */
  publicUrl: string;
  /** The dispute of an intent, in short; null where there is none. */
  disputeOf: (intentHash: string) => Promise<IntentDispute | null>;
}

export interface IntentService {
  /**
   * Records an intent or finds it recorded (`created`), attaching its transaction if it is given. Throws
   * INVALID_REQUEST, UNSUPPORTED_PAIR, AMOUNT_OUT_OF_RANGE, QUOTE_BELOW_MINIMUM, TRANSACTION_CONFLICT and
   * RATES_UNAVAILABLE, having stored nothing.
   */
  register(body: CreateIntentBody): Promise<{ created: boolean; answer: IntentAnswer }>;
  /** Throws UNKNOWN_INTENT. */
  read(intentHash: string): Promise<IntentAnswer>;
  takeStatusCallback: TakeStatusCallback;
  /** For disputes: the intent as stored. With a session, as that transaction sees it. */
  find(intentHash: string, session?: ClientSession): Promise<IntentDocument | null>;
  /**
   * For disputes: what an accepted one makes of the outcome, in the transaction of the verdict; null takes it back.
   * Returns whether there is such an intent.
   */
  applyDispute(session: ClientSession, intentHash: string, effect: DisputeEffect | null): Promise<boolean>;
}

export function createIntentService(deps: IntentServiceDeps): IntentService {
  const { model, publicUrl, disputeOf } = deps;
  const register = createRegistration(deps);

  async function answerOf(intent: IntentDocument): Promise<IntentAnswer> {
    // A dispute needs an outcome.
    const dispute = intent.outcome === null ? null : await disputeOf(intent._id);
    return toAnswer(intent, dispute, publicUrl);
  }

  return {
    async register(body) {
      const { created, intent } = await register(body);
      return { created, answer: await answerOf(intent) };
    },
    async read(intentHash) {
      const intent = await model.findById(intentHash).lean<IntentDocument>();
      if (intent === null) throw new ApiError('UNKNOWN_INTENT', 'No intent has this hash.');
      return answerOf(intent);
    },
    takeStatusCallback: createTakeStatusCallback({ ...deps, host: new URL(publicUrl).host }),
    find: (intentHash, session) =>
      model
        .findById(intentHash)
        .session(session ?? null)
        .lean<IntentDocument>(),
    async applyDispute(session, intentHash, effect) {
      const result = await model.updateOne(
        { _id: intentHash },
        { $set: { disputeEffect: effect, unfolded: true } },
        { session },
      );
      return result.matchedCount === 1;
    },
  };
}
