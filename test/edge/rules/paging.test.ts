import { describe, expect, it } from '@jest/globals';
import { readCursor, readLimit, toPage, writeCursor } from '../../../server/paging.js';

const list = ['anchors', '*'];
const pattern = /^[a-z]+$/;

describe('a page', () => {
  it('has a cursor to the next page, and null on the last one', () => {
    const rows = ['a', 'b', 'c'].map((id) => ({ id }));
    const first = toPage(rows, 2, list, (last) => [last.id]);
    expect(first.items.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(readCursor(first.nextCursor ?? undefined, list, [pattern])).toEqual(['b']);
    expect(toPage(rows, 3, list, (last) => [last.id]).nextCursor).toBeNull();
    expect(toPage([], 3, list, () => [])).toEqual({ items: [], nextCursor: null });
  });

  it('has 50 items by default', () => expect([readLimit(undefined), readLimit('7')]).toEqual([50, 7]));
});

describe('a cursor', () => {
  it.each([
    ['of another list', writeCursor(['anchors', 'usdc-ngn'], ['a'])],
    ['of another form', writeCursor(list, ['A'])],
    ['with too many words', writeCursor(list, ['a', 'b'])],
    ['with too few words', writeCursor(list, [])],
    ['with an operator', writeCursor(list, ['{"$ne":1}'])],
    ['in a second spelling', `${writeCursor(list, ['a'])}=`],
    ['that is not base64url', '!!'],
  ])('%s is refused, because no answer gave it', (_name, cursor) => {
    const refusal = expect.objectContaining({ code: 'INVALID_REQUEST' });
    expect(() => readCursor(cursor, list, [pattern])).toThrow(refusal);
  });

  it('that is absent starts at the beginning', () =>
    expect(readCursor(undefined, list, [pattern])).toBeUndefined());
});
