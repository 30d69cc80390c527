import { describe, expect, it } from '@jest/globals';
import {
  contentFrame,
  contentNameIn,
  eventBytes,
  problemFrame,
  retryBytes,
} from '../../../server/streams/events.rules.js';

describe('an event', () => {
  it('is written as event, id and one line of data, and ends with an empty line', () => {
    expect(eventBytes({ event: 'transition', id: '4', data: '{"number":4}' }).toString()).toBe(
      'event: transition\nid: 4\ndata: {"number":4}\n\n',
    );
  });

  it('stays on one line whatever text the data holds', () => {
    const { bytes } = contentFrame('rates', { name: 'a\nb\r\ndata: c\u2028' });
    expect(bytes.toString().match(/\n/g)).toHaveLength(4);
  });

  it('has the same name for the same content, and another for any other', () => {
    const [one, same, other] = [{ a: 1 }, { a: 1 }, { a: 2 }].map((value) => contentFrame('rates', value));
    expect(one?.name).toMatch(/^[\w-]{22}$/);
    expect(same?.name).toBe(one?.name);
    expect(other?.name).not.toBe(one?.name);
    expect(one?.bytes.toString()).toContain(`\nid: ${one?.name}\n`);
  });

  it('of a problem has no id, so that a reader keeps the one of its last answer', () => {
    expect(problemFrame({ code: 'NOT_READY', message: 'no' }).bytes.toString()).toBe(
      'event: problem\ndata: {"code":"NOT_READY","message":"no"}\n\n',
    );
  });
});

it.each([
  ['the name of an answer', 'V1StGXR8_Z5jdHi6B-myTw', true],
  ['nothing', undefined, false],
  ['a long text, which would be kept for as long as the stream', 'V1StGXR8_Z5jdHi6B-myTw'.repeat(300), false],
])('a reader that names %s has an answer: %#', (_name, given, isKept) => {
  expect(contentNameIn(given)).toBe(isKept ? given : undefined);
});

it('retry is a whole number, as the standard wants it', () => {
  expect(retryBytes(2_345.67).toString()).toBe('retry: 2346\n\n');
});
