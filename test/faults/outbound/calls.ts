import type { Socket } from 'node:net';
import { afterEach, expect, vi } from 'vitest';
import { createOutbound, OutboundError, type OutboundRequest } from '../../../server/outbound/outbound.js';
import { answering, type Listener, listen } from './listener.js';

export const maxBytes = 64 * 1_024;

export interface Outcome {
  listener: Listener;
  /** The failure, or the answer's status. */
  outcome: string | number;
  elapsedMs: number;
}

type CallTo = (
  behaviour: (socket: Socket) => void,
  changes?: Partial<OutboundRequest>,
  scheme?: string,
) => Promise<Outcome>;

/**
 * Call it once at the top of a file. `callTo` makes one call to a listener of this behaviour, which afterwards must not
 * be left with an open socket; what is pushed to `closers` is closed after the test.
 */
export function outboundCalls(): { callTo: CallTo; closers: (() => Promise<void>)[] } {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function callTo(
    behaviour: (socket: Socket) => void,
    changes: Partial<OutboundRequest> = {},
    scheme = 'http',
  ): Promise<Outcome> {
    const listener = await listen(behaviour);
    const origin = `${scheme}://127.0.0.1:${listener.port}`;
    const { request, close } = createOutbound({ allow: [origin] });
    closers.push(close, listener.close);
    const startedAt = performance.now();
    const outcome = await request({ url: `${origin}/`, timeoutMs: 1_000, maxBytes, ...changes }).then(
      ({ status }) => status,
      (error: unknown) => {
        if (error instanceof OutboundError) return error.failure;
        throw error;
      },
    );
    const elapsedMs = performance.now() - startedAt;
    if (typeof outcome === 'string') {
      await vi.waitFor(() => expect(listener.seen.open).toBe(0), { timeout: 2_000, interval: 10 });
    }
    return { listener, outcome, elapsedMs };
  }

  return { callTo, closers };
}

export const head = (...lines: string[]) =>
  `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
export const withLength = (coding: string, body: Buffer) =>
  Buffer.concat([Buffer.from(head(`Content-Encoding: ${coding}`, `Content-Length: ${body.length}`)), body]);

/** Writes for as long as the other side takes it, first the start, then the same again and again. */
export function endless(start: string, again: string | Buffer): (socket: Socket) => void {
  return answering((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(again));
    };
    socket.on('drain', more);
    socket.write(start);
    more();
  });
}

/** Writes the start at once, then one piece every few milliseconds for ever. */
export function dripping(start: string, piece: string): (socket: Socket) => void {
  return answering((socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), 20);
    socket.on('close', () => clearInterval(timer));
  });
}
