import { type ApiError, invalidRequest } from './errors.js';

/** What a client says of the page that it wants. The contract has checked `limit`: a whole number as text. */
export interface PageQuery {
  limit?: string | undefined;
  cursor?: string | undefined;
}

const defaultLimit = 50;

export function readLimit(limit: string | undefined): number {
  return limit === undefined ? defaultLimit : Number(limit);
}

/** An opaque cursor made of words: the list it belongs to, then the position where the next page begins. */
export function writeCursor(list: readonly string[], place: readonly (string | number)[]): string {
  return Buffer.from([...list, ...place].join(' '), 'utf8').toString('base64url');
}

/**
 * The position that a cursor of this list names, as words that match the patterns; undefined without a cursor. Throws
 * INVALID_REQUEST for a cursor of another list and for one that no answer gave.
 */
export function readCursor(
  cursor: string | undefined,
  list: readonly string[],
  place: readonly RegExp[],
): string[] | undefined {
  if (cursor === undefined) return undefined;
  const words = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  const rest = words.slice(list.length);
  const fits =
    list.every((word, index) => words[index] === word) &&
    rest.length === place.length &&
    place.every((pattern, index) => pattern.test(rest[index] ?? '')) &&
    writeCursor(list, rest) === cursor;
  if (fits) return rest;
  throw unknownCursor();
}

/** The error for a well-formed cursor whose position does not exist. */
export function unknownCursor(): ApiError {
  const message = 'must be a cursor that a previous answer to the same question gave';
  return invalidRequest([{ path: 'query.cursor', message }]);
}

/** One page of up to `limit + 1` items; `placeOf` gives the start of the next page from the last item of this one. */
export function toPage<T>(
  rows: readonly T[],
  limit: number,
  list: readonly string[],
  placeOf: (last: T) => readonly (string | number)[],
): { items: T[]; nextCursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    nextCursor: rows.length > limit && last !== undefined ? writeCursor(list, placeOf(last)) : null,
  };
}
