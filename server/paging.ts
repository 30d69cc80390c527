import { type ApiError, invalidRequest } from './errors.js';

const defaultLimit = 50;

/** `limit` as the contract lets it through: a whole number as text, or absent. */
export function readLimit(limit: string | undefined): number {
  return limit === undefined ? defaultLimit : Number(limit);
}

/** An opaque cursor of words: what list it belongs to, then where in it the next page begins. */
export function writeCursor(list: readonly string[], place: readonly (string | number)[]): string {
  return Buffer.from([...list, ...place].join(' '), 'utf8').toString('base64url');
}

/**
 * The place in a cursor of this very list, its words as the patterns have them; undefined without a cursor. Throws
 * INVALID_REQUEST for one of another list, and for one that was never given.
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

/** For a cursor of the right form that leads nowhere. */
export function unknownCursor(): ApiError {
  const message = 'must be a cursor that a previous answer to the same question gave';
  return invalidRequest([{ path: 'query.cursor', message }]);
}

/** One page out of up to `limit + 1` rows; `placeOf` says where the next one begins, given this page's last row. */
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
