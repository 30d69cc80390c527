import { describe, expect, it } from '@jest/globals';
import { readCursor, readLimit, toPage, writeCursor } from '../../../server/paging.js';

const list = ['anchors', '*'];
const pattern = /^[a-z]+$/;

describe('a page', () => {
  it('says where the next one starts, and null on the last', () => {
    const rows = ['a', 'b', 'c'].map((id) => ({ id }));
    const first = toPage(rows, 2, list, (last) => [last.id]);
    expect(first.items.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(readCursor(first.nextCursor ?? undefined, list, [pattern])).toEqual(['b']);
    expect(toPage(rows, 3, list, (last) => [last.id]).nextCursor).toBeNull();
    expect(toPage([], 3, list, () => [])).toEqual({ items: [], nextCursor: null });
  });

  it('has 50 items unless asked otherwise', () => {
    expect([readLimit(undefined), readLimit('7')]).toEqual([50, 7]);
  });
});

describe('a cursor', () => {
  it.each([
    ['of another list', writeCursor(['anchors', 'usdc-ngn'], ['a'])],
    ['of another form', writeCursor(list, ['A'])],
    ['with too many words', writeCursor(list, ['a', 'b'])],
    ['with too few words', writeCursor(list, [])],
    ['with an operator', writeCursor(list, ['{"$ne":1}'])],
    ['in a second spelling', `${writeCursor(list, ['a'])}=`],
    ['that is noise', '!!'],
  ])('%s is refused, since no answer gave it', (_name, cursor) => {
    expect(() => readCursor(cursor, list, [pattern])).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    );
  });

  it('that is absent starts at the beginning', () => {
    expect(readCursor(undefined, list, [pattern])).toBeUndefined();
  });
});
