import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'express';
import { eventBytes, openEventStream } from '../../../server/streams/event-stream.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A stream whose reader takes what is written when the test says so. */
function opened() {
  const taking: (() => void)[] = [];
  const seen = { text: '', end: '' };
  const res = Object.assign(new EventEmitter(), {
    write(bytes: Buffer, taken: () => void) {
      seen.text += bytes.toString();
      taking.push(taken);
    },
    end() {
      seen.end = 'after what was written';
    },
    destroy() {
      seen.end = 'at once';
    },
  });
  const stream = openEventStream(res as unknown as Response, { client: 'a', retryMs: 2_345.67 });
  return { seen, stream, take: () => taking.shift()?.(), close: () => res.emit('close') };
}

const event = (n: number) => Buffer.from(`data: ${n}\n\n`);
const retry = 'retry: 2346\n\n';

it('an event has its name and one line of data, whatever text that holds, and ends with an empty line', () => {
  const bytes = eventBytes('rates', { name: 'a\nb\r\ndata: c' });
  expect(bytes.toString()).toBe('event: rates\ndata: {"name":"a\\nb\\r\\ndata: c"}\n\n');
});

describe('a stream', () => {
  it('begins with retry, and keeps only the newest event for a reader that is behind', () => {
    const { seen, stream, take } = opened();
    expect(seen.text).toBe(retry);
    take();
    for (const n of [1, 2, 3, 4]) stream.send(event(n));
    expect(seen.text).toBe(`${retry}data: 1\n\n`);
    take();
    expect(seen.text).toBe(`${retry}data: 1\n\ndata: 4\n\n`);
  });

  it('sends a comment after 15 s without anything, and none to a reader that does not read', () => {
    const { seen, stream, take } = opened();
    jest.advanceTimersByTime(120_000);
    expect(seen.text).toBe(retry);
    take();
    jest.advanceTimersByTime(10_000);
    stream.send(event(1));
    take();
    jest.advanceTimersByTime(14_999);
    expect(seen.text).toBe(`${retry}data: 1\n\n`);
    jest.advanceTimersByTime(1);
    expect(seen.text).toBe(`${retry}data: 1\n\n: \n\n`);
  });

  it('adds nothing once it has ended, however long its reader takes to go, and leaves no timer then', () => {
    const { seen, stream, take, close } = opened();
    take();
    for (const n of [1, 2]) stream.send(event(n));
    stream.end();
    take();
    stream.send(event(3));
    jest.advanceTimersByTime(60_000);
    expect(seen.text).toBe(`${retry}data: 1\n\n`);
    close();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends after what was written, or at once where the reader does not read', () => {
    const [reading, stalled] = [opened(), opened()];
    reading.take();
    for (const { stream } of [reading, stalled]) stream.end();
    expect([reading.seen.end, stalled.seen.end]).toEqual(['after what was written', 'at once']);
  });
});
