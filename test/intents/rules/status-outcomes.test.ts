import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { readStatus, statusTable } from '../../../server/features/intents/record/sep-record.rules.js';
import { day, freshState, hour, minute, outcome, see } from '../../fixtures/intents/intent-states.js';
import { expectFor } from '../../support/expect-for.js';

interface Row {
  status: string;
  meaning: string;
  /** Whether SEP-24 or SEP-6 has the word. */
  known: boolean;
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
function outcomes(row: Row, extra: Record<string, unknown>): string[] {
  let state = see(freshState(), [0, {}]);
  const list = seenAt.map((afterMs) => {
    state = see(state, [afterMs, { status: row.status, ...row.record, ...extra }]);
    return outcome(state);
  });
  const end = list.findIndex((each) => each !== 'pending');
  return end < 0 ? list : list.slice(0, end + 1);
}

it.each(vectors.rows.map((row) => [`${row.status} (${row.meaning})`, row] as const))(
  'the status %s leads to the outcome in the table, without and with proof of funds',
  (_name, row) => {
    expectFor('without', outcomes(row, {})).toEqual(row.withoutProof);
    expectFor('with', outcomes(row, { stellar_transaction_id: '17a670bc' })).toEqual(
      row.withStellarTransaction,
    );
    expect(readStatus(row.status).word).toBe(row.known ? row.status : 'unrecognised');
  },
);

it('the table of status outcomes covers every known status', () => {
  const tested = vectors.rows.filter(({ known }) => known).map(({ status }) => status);
  expect(Object.keys(statusTable).filter((word) => !tested.includes(word))).toEqual([]);
});
