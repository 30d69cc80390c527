import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { firstLookWithinMs } from '../../../server/features/intents/late-look.rules.js';
import { transition } from '../../../server/features/intents/transition.rules.js';
import {
  at,
  freshState,
  limits,
  outcome,
  record,
  second,
  startMs,
} from '../../fixtures/intents/intent-states.js';

interface Case {
  name: string;
  /** All times are in seconds after the attachment; `lookedAt` is an earlier poll without a result. */
  lookedAt?: number;
  seenAt: number;
  record: Record<string, unknown>;
  unscoredReason: string | null;
}

const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/late-first-look.json', import.meta.url), 'utf8'),
) as { cases: Case[] };

const times = ['started_at', 'updated_at', 'completed_at', 'transfer_received_at'];

/** The times of a vector are seconds after the attachment. */
function timed(raw: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(raw).map(([name, value]) => [
      name,
      times.includes(name) ? at(Number(value) * second) : value,
    ]),
  );
}

describe('a transaction that was first seen after its payment', () => {
  it.each(vectors.cases.map((each) => [each.name, each] as const))('%s', (_name, each) => {
    const observedAtMs = startMs + each.seenAt * second;
    const firstPolledAtMs = each.lookedAt === undefined ? null : startMs + each.lookedAt * second;
    const sight = { record: record(timed(each.record)), observedAtMs };
    const state = transition(freshState({ firstPolledAtMs }), sight, observedAtMs, limits);
    expect(state.judgement.unscoredReason).toBe(each.unscoredReason);
  });

  it('says nothing of the speed, where its payment and its payout were first seen together', () => {
    const seen = {
      status: 'completed',
      stellar_transaction_id: 'ab',
      amount_in: '100',
      amount_out: '150000',
    };
    const raw = { ...seen, started_at: -10, completed_at: 200, transfer_received_at: 199 };
    const observedAtMs = startMs + 300 * second;
    const state = transition(
      freshState(),
      { record: record(timed(raw)), observedAtMs },
      observedAtMs,
      limits,
    );
    expect([outcome(state), state.judgement.unscoredReason]).toEqual(['settled completed', null]);
    expect(state.ending?.settleSeconds).toBeNull();
  });

  it('is late after the time that the vectors and the guide name', () => {
    expect(firstLookWithinMs).toBe(20_000);
  });
});
