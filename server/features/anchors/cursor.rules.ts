import { ApiError } from '../../errors.js';

const defaultLimit = 50;

/** The id a page starts after, from its opaque cursor. Throws INVALID_REQUEST for one we never gave. */
export function readIdCursor(
  cursor: string | undefined,
  isId: (text: string) => boolean,
): string | undefined {
  if (cursor === undefined) return undefined;
  const id = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!isId(id) || writeIdCursor(id) !== cursor) {
    const message = 'must be a cursor that a previous answer gave';
    throw new ApiError('INVALID_REQUEST', `query.cursor: ${message}`, {
      details: [{ path: 'query.cursor', message }],
    });
  }
  return id;
}

export function writeIdCursor(id: string): string {
  return Buffer.from(id, 'utf8').toString('base64url');
}

/** `limit` as the contract lets it through: a whole number as text, or absent. */
export function readLimit(limit: string | undefined): number {
  return limit === undefined ? defaultLimit : Number(limit);
}

/** One page out of up to `limit + 1` rows, ordered by id. */
export function toPage<T extends { id: string }>(
  rows: readonly T[],
  limit: number,
): { items: T[]; nextCursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? writeIdCursor(last.id) : null };
}
