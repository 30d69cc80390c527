import {
  type HistoryResolution,
  type RateHistoryQuery,
  usualHistoryDays,
  widestHistoryDays,
} from '../../../contract/schemas/rate-history.js';
import { utcInstant } from '../../../contract/verification/instant.js';
import { invalidRequest } from '../../errors.js';
import { slotMs, startOf } from './sample.rules.js';

const dayMs = 86_400_000;
/** Earlier instants have no form in the contract. */
const earliest = Date.parse('0000-01-01T00:00:00Z');

/** A span of the past, `from` included, `to` not; in epoch milliseconds. */
export interface HistoryRange {
  resolution: HistoryResolution;
  from: number;
  to: number;
}

/** The range of a CSV file: a whole day. `limit` and `cursor` are refused, since only JSON has pages. */
export function rangeOfFile({ limit, cursor, ...query }: RateHistoryQuery, now: number): HistoryRange {
  for (const [name, given] of Object.entries({ limit, cursor }))
    if (given !== undefined) throw fault(name, 'is for JSON, which has pages');
  if (query.day === undefined) throw fault('day', 'is required for CSV');
  return rangeOf(query, now);
}

/** The range that a query asks for. Throws INVALID_REQUEST if it is not in the past, is empty or too wide. */
export function rangeOf(
  { resolution = '15m', from, to, day }: Omit<RateHistoryQuery, 'limit' | 'cursor'>,
  now: number,
): HistoryRange {
  if (day !== undefined) {
    for (const [name, given] of Object.entries({ from, to }))
      if (given !== undefined) throw fault(name, 'cannot be given together with day');
    return { resolution, ...rangeOfDay(day, now) };
  }
  // Without `to`, the range ends with the current slot, so that the answer stays the same until the next sample.
  const end = to === undefined ? startOf('15m', now) + slotMs : epochOf(to);
  const usual = Math.max(earliest, end - usualHistoryDays[resolution] * dayMs);
  const begin = from === undefined ? usual : epochOf(from);
  if (to !== undefined && end > now) throw fault('to', 'must not be in the future');
  if (begin > now) throw fault('from', 'must not be in the future');
  if (begin >= end) throw fault('from', 'must be before to');
  const widest = widestHistoryDays[resolution];
  if (end - begin > widest * dayMs + slotMs) {
    throw fault('from', `must be at most ${widest} days before to, where the resolution is ${resolution}`);
  }
  return { resolution, from: begin, to: end };
}

function rangeOfDay(day: string, now: number): { from: number; to: number } {
  const from = epochOf(`${day}T00:00:00Z`);
  if (Number.isNaN(from)) throw fault('day', 'must be a day that exists');
  if (from > now) throw fault('day', 'must not be in the future');
  return { from, to: from + dayMs };
}

function epochOf(instant: string): number {
  return Date.parse(utcInstant(instant) ?? '');
}

function fault(name: string, message: string): Error {
  return invalidRequest([{ path: `query.${name}`, message }]);
}
