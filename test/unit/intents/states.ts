import { readRecord, type TransactionRecord } from '../../../server/features/intents/sep-record.rules.js';
import { nothingSeen } from '../../../server/features/intents/settle-time.rules.js';
import type { Dialect } from '../../../server/features/intents/status-table.rules.js';
import { type IntentState, transition } from '../../../server/features/intents/transition.rules.js';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
export const startMs = Date.parse('2026-11-21T00:00:00.000Z');
export const limits = { failureGraceMs: day };
export const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
export const sellAsset = 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';

/** An intent of 100 USDC for 150,000 NGN, its transaction attached at `startMs`. */
export function freshState(patch: Partial<IntentState> = {}): IntentState {
  return {
    terms: {
      account,
      sellAmount: '100',
      sellAsset,
      buyAsset: 'iso4217:NGN',
      createdAtMs: startMs - second,
      overdueAfterSeconds: 72 * 3_600,
      quote: { tier: 'anchor', sellAmount: '100', receiveAmount: '150000' },
    },
    deadlineMs: startMs + day,
    attachedAtMs: startMs,
    sightings: nothingSeen,
    judgement: { unscoredReason: null, amountIn: null },
    ending: null,
    ...patch,
  };
}

/** A record as an anchor sends it; `raw` holds what differs from a withdrawal waiting for its payment. */
export function record(raw: Record<string, unknown> = {}, dialect: Dialect = 'sep24'): TransactionRecord {
  const read = readRecord(
    { transaction: { id: 'tx1', kind: 'withdrawal', status: 'pending_user_transfer_start', ...raw } },
    dialect,
  );
  if (read === null) throw new Error('not a record');
  return read;
}

/** Shows a state one record after another, each so many ms after `startMs`. */
export function see(
  state: IntentState,
  ...sights: [afterMs: number, raw: Record<string, unknown>][]
): IntentState {
  return sights.reduce((current, [afterMs, raw]) => {
    const seenAtMs = startMs + afterMs;
    return transition(current, { record: record(raw), seenAtMs }, seenAtMs, limits);
  }, state);
}

export function at(afterMs: number): string {
  return new Date(startMs + afterMs).toISOString();
}

/** `pending`, or status and reason. */
export function outcome(state: IntentState): string {
  return state.ending === null ? 'pending' : `${state.ending.status} ${state.ending.reason}`;
}
