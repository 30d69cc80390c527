import { ApiError } from '../../errors.js';

/** Where a page of batches begins. */
export interface BatchPlace {
  order: 'asc' | 'desc' | undefined;
  from: number | undefined;
}

export function writeBatchCursor({ order, from }: { order: 'asc' | 'desc'; from: number }): string {
  return encode(`${order} ${from}`);
}

/** Throws INVALID_REQUEST for one we never gave. */
export function readBatchCursor(cursor: string): BatchPlace {
  const [, order, from] = decode(cursor, /^(asc|desc) ([1-9]\d{0,14})$/);
  return { order: order === 'asc' ? 'asc' : 'desc', from: Number(from) };
}

export function writeEntryCursor(start: number): string {
  return encode(String(start));
}

/** Index of the first entry. Throws INVALID_REQUEST for a cursor that this batch never gave. */
export function readEntryCursor(cursor: string, size: number): number {
  const start = Number(decode(cursor, /^[1-9]\d{0,14}$/)[0]);
  if (start >= size) throw unknownCursor();
  return start;
}

function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}

function decode(cursor: string, form: RegExp): RegExpExecArray {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const match = form.exec(text);
  if (match === null || encode(text) !== cursor) throw unknownCursor();
  return match;
}

function unknownCursor(): ApiError {
  const message = 'must be a cursor that a previous answer gave';
  return new ApiError('INVALID_REQUEST', `query.cursor: ${message}`, {
    details: [{ path: 'query.cursor', message }],
  });
}
