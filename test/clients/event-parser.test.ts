import { describe, expect, it } from '@jest/globals';
import { createEventParser, type RawEvent } from '../../contract/client/streams/event-parser.js';
import { expectFor } from '../support/expect-for.js';

const event = (data: string, name = 'message'): RawEvent => ({ event: name, data });

const words = (text: string) => text.split(' ').map((data) => event(data));

/** Streams and their events; the first five are from §9.2.6 of the HTML standard, "Interpreting an event stream". */
const vectors: [name: string, stream: string, events: RawEvent[]][] = [
  ['data over three lines', 'data: YHOO\ndata: +2\ndata: 10\n\n', [event('YHOO\n+2\n10')]],
  ['a comment, and ids', ': test stream\n\ndata: first\nid: 1\n\ndata:second\nid\n\n', words('first second')],
  ['a second space', 'data:  third event\n\n', [event(' third event')]],
  ['empty data, and an event without an end', 'data\n\ndata\ndata\n\ndata:', [event(''), event('\n')]],
  ['one space after the colon or none', 'data:test\n\ndata: test\n\n', words('test test')],
  ['CRLF', 'event: rates\r\nid: 7\r\ndata: a\r\n\r\ndata: b\r\n\r\n', [event('a', 'rates'), event('b')]],
  ['lines that end with CR', 'id: 7\rdata: a\r\rdata: b\r\r', words('a b')],
  ['all three ends of lines', 'data: a\r\n\ndata: b\r\rdata: c\n\r\n', words('a b c')],
  ['a byte order mark at the start', '\uFEFFdata: a\n\n', words('a')],
  ['a byte order mark elsewhere, which makes another field', 'data: a\n\n\uFEFFdata: b\n\n', words('a')],
  ['comments between the lines of an event', ':\ndata: a\n: data: x\ndata: b\n:\n\n', [event('a\nb')]],
  ['a name without data, which is not kept', 'event: rates\n\ndata: a\n\n', words('a')],
  ['a name given twice', 'event: first\nevent: second\ndata: a\n\n', [event('a', 'second')]],
  ['an empty name', 'event: rates\nevent:\ndata: a\n\n', words('a')],
  ['unknown and upper-case fields', 'datas: x\nDATA: x\n data: x\ndata : x\ndata: a\n\n', words('a')],
  ['colons in the data', 'data: {"at":"09:30:00"}\n\n', [event('{"at":"09:30:00"}')]],
  ['ends of lines of other formats', 'data: a\u2028b\u0085c\vd\fe\n\n', [event('a\u2028b\u0085c\vd\fe')]],
  ['characters of two, three and four bytes', 'id: é\ndata: ₦ 150 🎉\n\n', [event('₦ 150 🎉')]],
  ['a tab after the colon, which is data', 'data:\ta\n\n', [event('\ta')]],
];

const encoder = new TextEncoder();

/** The events of a stream that arrives in these pieces. */
function eventsOf(pieces: readonly Uint8Array[]): RawEvent[] {
  const parser = createEventParser();
  const decoder = new TextDecoder();
  return pieces.flatMap((piece) => parser.parse(decoder.decode(piece, { stream: true })));
}

describe('an event stream', () => {
  it.each(vectors)(
    'has the same events in one piece, cut at any byte, and byte by byte: %s',
    (_name, stream, events) => {
      const bytes = encoder.encode(stream);
      expect(eventsOf([bytes])).toEqual(events);
      expect(eventsOf([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(events);
      for (let cut = 0; cut <= bytes.length; cut += 1)
        expectFor(`cut at ${cut}`, eventsOf([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(events);
    },
  );
});

it.each([
  ['retry: 2500\n', 2_500],
  ['retry: 2500\nretry: 30\n', 30],
  ['retry: 2.5\n', undefined],
  ['retry: -1\n', undefined],
  ['retry\n', undefined],
  ['retry: 1s\n', undefined],
])(
  'a stream tells beside its events how long to wait before reconnecting, in digits only: %j',
  (stream, retryMs) => {
    const parser = createEventParser();
    parser.parse(stream);
    expect(parser.retryMs).toBe(retryMs);
  },
);
