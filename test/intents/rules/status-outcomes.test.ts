import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readStatus, statusTable } from '../../../server/features/intents/record/status-table.rules.js';
import { transition } from '../../../server/features/intents/transition/transition.rules.js';
import {
  day,
  freshState,
  hour,
  limits,
  minute,
  outcome,
  record,
  startMs,
} from '../../fixtures/intents/intent-states.js';
import { expectFor } from '../../support/expect-for.js';

interface Row {
  status: string;
  meaning: string;
  dialects: string[];
  withoutProof: string[];
  withStellarTransaction: string[];
  record?: Record<string, unknown>;
}

const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/intent-status-outcomes.json', import.meta.url), 'utf8'),
) as { seenAt: string[]; rows: Row[] };

const units: Record<string, number> = { m: minute, h: hour, d: day };
const seenAt = vectors.seenAt.map((text) => Number.parseInt(text, 10) * (units[text.slice(-1)] ?? 0));

/** The outcome after each observation, up to and including the last change. */
function outcomes(row: Row, dialect: 'sep24' | 'sep6', extra: Record<string, unknown>): string[] {
  const unpaid = record({}, dialect);
  let state = transition(freshState(), { record: unpaid, observedAtMs: startMs }, startMs, limits);
  const told = record({ status: row.status, ...row.record, ...extra }, dialect);
  const list = seenAt.map((afterMs) => {
    const observedAtMs = startMs + afterMs;
    state = transition(state, { record: told, observedAtMs }, observedAtMs, limits);
    return outcome(state);
  });
  const end = list.findIndex((each) => each !== 'pending');
  return end < 0 ? list : list.slice(0, end + 1);
}

describe.each(['sep24', 'sep6'] as const)('every status word of %s', (dialect) => {
  it.each(vectors.rows.map((row) => [`${row.status} (${row.meaning})`, row] as const))(
    '%s: leads to the outcome in the table, without and with proof of funds',
    (_name, row) => {
      expectFor('without', outcomes(row, dialect, {})).toEqual(row.withoutProof);
      expectFor('with', outcomes(row, dialect, { stellar_transaction_id: '17a670bc' })).toEqual(
        row.withStellarTransaction,
      );
    },
  );

  it('is recognised if the dialect has it, and otherwise unrecognised', () => {
    for (const row of vectors.rows) {
      const expected = row.dialects.includes(dialect) ? row.status : 'unrecognised';
      expectFor(row.status, readStatus(dialect, row.status).word).toBe(expected);
    }
  });
});

it('the table of status outcomes covers every known status', () => {
  const tested = new Set(vectors.rows.map((row) => row.status));
  expect(Object.keys(statusTable).filter((word) => !tested.has(word))).toEqual([]);
});
