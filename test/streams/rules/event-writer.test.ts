import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'express';
import { openWriter } from '../../../server/streams/event-writer.js';
import type { EventWriter } from '../../../server/streams/ports.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A response whose kernel accepts what is written when the test says so. */
function answer() {
  const taking: (() => void)[] = [];
  const seen = { text: '', ended: false, destroyed: '' };
  const socket = {
    setNoDelay: () => socket,
    destroy: () => {
      seen.destroyed = 'at once';
    },
    destroySoon: () => {
      seen.destroyed = 'after what was written';
    },
  };
  const res = Object.assign(new EventEmitter(), {
    socket,
    write(bytes: Buffer, taken: () => void) {
      seen.text += bytes.toString();
      taking.push(taken);
    },
    end() {
      seen.ended = true;
    },
  });
  return {
    res: res as unknown as Response,
    seen,
    take: () => taking.shift()?.(),
    close: () => res.emit('close'),
  };
}

function opened() {
  const { res, ...rest } = answer();
  const told: string[] = [];
  let writer: EventWriter | undefined;
  const whole = openWriter(
    res,
    (given) => {
      writer = given;
      return { onFree: () => told.push('free'), onClose: () => told.push('closed') };
    },
    { retryMs: 3_000, onEvents: (count) => told.push(`${count} events`) },
  );
  return { ...rest, told, whole, writer: writer as EventWriter };
}

describe('the writer of a stream', () => {
  it('begins with retry, and is free once that was taken', () => {
    const { seen, writer, take, told } = opened();
    expect([seen.text, writer.isFree()]).toEqual(['retry: 3000\n\n', false]);
    take();
    expect([writer.isFree(), told]).toEqual([true, ['free']]);
  });

  it('sends a comment after 15 s without anything, counted from the last event', () => {
    const { seen, writer, take } = opened();
    take();
    jest.advanceTimersByTime(10_000);
    writer.write(Buffer.from('data: 1\n\n'));
    take();
    jest.advanceTimersByTime(14_999);
    expect(seen.text).toBe('retry: 3000\n\ndata: 1\n\n');
    jest.advanceTimersByTime(1);
    expect(seen.text).toBe('retry: 3000\n\ndata: 1\n\n: \n\n');
  });

  it('adds nothing for a reader that does not read, and goes on when it does', () => {
    const { seen, take, writer } = opened();
    jest.advanceTimersByTime(120_000);
    expect(seen.text).toBe('retry: 3000\n\n');
    take();
    jest.advanceTimersByTime(15_000);
    expect(seen.text).toBe('retry: 3000\n\n: \n\n');
    expect(writer.isFree()).toBe(false);
  });

  it('adds nothing once it has ended, however long its reader takes to go', () => {
    const { seen, take, writer } = opened();
    take();
    writer.end();
    jest.advanceTimersByTime(60_000);
    expect([seen.text, writer.isFree()]).toEqual(['retry: 3000\n\n', false]);
  });

  it('leaves no timer when the reader goes away', () => {
    const { close, told } = opened();
    close();
    expect([told, jest.getTimerCount()]).toEqual([['closed'], 0]);
  });

  it('ends at a stop after what was written, or at once where the reader does not read', () => {
    const reading = opened();
    reading.take();
    reading.whole.stop();
    expect([reading.seen.ended, reading.seen.destroyed]).toEqual([true, 'after what was written']);
    const stalled = opened();
    stalled.whole.stop();
    expect([stalled.seen.ended, stalled.seen.destroyed]).toEqual([true, 'at once']);
  });
});
