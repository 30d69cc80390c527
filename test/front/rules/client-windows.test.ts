import type { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ClientWindows,
  createClientWindows,
  type LimitedRoute,
} from '../../../server/front/client-windows.js';
import { parseTrustProxy } from '../../../server/http/client-key.js';
import { type HeldWindow, withDrawn } from '../../../server/limits/held-window.rules.js';

const rule = { points: 90, windowSeconds: 60, key: 'client' } as const;
const now = 1_000;

/** The windows that the limiter holds, by key, and the keys that it was asked for. */
let held: Map<string, HeldWindow>;
let asked: string[];
let clients: ClientWindows;
let route: LimitedRoute;

beforeEach(() => {
  held = new Map();
  asked = [];
  clients = createClientWindows({
    limiter: {
      held(key) {
        asked.push(key);
        return held.get(key);
      },
    },
    trusted: parseTrustProxy('10.0.0.0/8'),
    max: 1_000,
  });
  route = { rule, operationId: 'getRates', windows: new Map() };
});

function hold(key: string, points: number, at = now): void {
  const drawn = { got: points, used: rule.points, endsAtMs: at + 60_000, leftMs: 60_000, instances: 1 };
  held.set(key, withDrawn(undefined, rule, drawn, { sentAt: at, receivedAt: at }));
}

const socketOf = (remoteAddress: string) => ({ remoteAddress }) as Socket;

/** The points that remain after one was taken, or the key by which the database must be asked. */
function take(socket: Socket, forwardedFor?: string, { at = now, of = route } = {}): number | string {
  const state = clients.take(of, { socket, forwardedFor }, at);
  return typeof state === 'string' ? state : state.remaining;
}

describe('the window of a client', () => {
  it('is looked up in the limiter once, and then found by the header, whichever proxy sends it', () => {
    hold('getRates|192.0.2.1', 3);
    expect(take(socketOf('10.0.0.1'), '192.0.2.1')).toBe(2);
    expect(take(socketOf('10.0.0.2'), '192.0.2.1')).toBe(1);
    expect(asked).toEqual(['getRates|192.0.2.1']);
  });

  it('is the one of the same address where the header is written differently, or comes without a proxy', () => {
    hold('getRates|192.0.2.1', 3);
    expect(take(socketOf('10.0.0.1'), '192.0.2.1')).toBe(2);
    expect(take(socketOf('10.0.0.1'), '192.0.2.1, 10.0.0.9')).toBe(1);
    expect(take(socketOf('192.0.2.1'))).toBe(0);
  });

  it('is not chosen by the header of a connection that is no trusted proxy', () => {
    hold('getRates|192.0.2.1', 3);
    hold('getRates|192.0.2.2', 3);
    expect(take(socketOf('10.0.0.1'), '192.0.2.1')).toBe(2);
    expect(take(socketOf('192.0.2.2'), '192.0.2.1')).toBe(2);
    expect(asked).toEqual(['getRates|192.0.2.1', 'getRates|192.0.2.2']);
  });

  it("is each proxy's own where their headers name no client", () => {
    hold('getRates|10.0.0.1', 3);
    hold('getRates|10.0.0.2', 3);
    const header = 'unknown';
    for (const proxy of ['10.0.0.1', '10.0.0.2']) expect(take(socketOf(proxy), header)).toBe(2);
    expect(held.get('getRates|10.0.0.1')?.left).toBe(2);
    expect(held.get('getRates|10.0.0.2')?.left).toBe(2);
  });

  it('is not found by a header that reads like the key of another client', () => {
    const key = '2001:db8:1:2::/64';
    hold(`getRates|${key}`, 3);
    hold('getRates|10.0.0.1', 3);
    expect(take(socketOf('2001:db8:1:2::7'))).toBe(2);
    expect(take(socketOf('10.0.0.1'), key)).toBe(2);
    expect(held.get(`getRates|${key}`)?.left).toBe(2);
  });

  it('is the new one after the old one has ended', () => {
    const socket = socketOf('192.0.2.1');
    hold('getRates|192.0.2.1', 3);
    expect(take(socket)).toBe(2);
    const at = now + 60_000;
    expect(take(socket, undefined, { at })).toBe('getRates|192.0.2.1');
    hold('getRates|192.0.2.1', 5, at);
    expect(take(socket, undefined, { at })).toBe(4);
  });

  it('is the new one after it was given up', () => {
    const socket = socketOf('192.0.2.1');
    hold('getRates|192.0.2.1', 3);
    take(socket);
    const first = held.get('getRates|192.0.2.1') as HeldWindow;
    Object.assign(first, { left: 0, used: 0 });
    held.clear();
    expect(take(socket)).toBe('getRates|192.0.2.1');
    hold('getRates|192.0.2.1', 3);
    expect(take(socket)).toBe(2);
    expect(first.left).toBe(0);
  });

  it('is another one on each route', () => {
    hold('getRates|192.0.2.1', 3);
    hold('getHealth|192.0.2.1', 3);
    const other = { rule, operationId: 'getHealth', windows: new Map<string, HeldWindow>() };
    const socket = socketOf('192.0.2.1');
    expect(take(socket)).toBe(2);
    expect(take(socket, undefined, { of: other })).toBe(2);
  });
});

describe('the memory for headers', () => {
  it('holds no long ones', () => {
    hold('getRates|192.0.2.1', 3);
    const header = `${'198.51.100.7, '.repeat(20)}192.0.2.1`;
    expect(take(socketOf('10.0.0.1'), header)).toBe(2);
    expect(take(socketOf('10.0.0.1'), header)).toBe(1);
    expect(route.windows.size).toBe(0);
  });

  it('is bounded over all routes', () => {
    const proxy = socketOf('10.0.0.1');
    const other = { rule, operationId: 'getHealth', windows: new Map<string, HeldWindow>() };
    const most = { names: 0 };
    for (let n = 0; n < 1_200; n += 1) {
      const client = `192.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
      const each = n % 2 === 0 ? route : other;
      hold(`${each.operationId}|${client}`, 3);
      take(proxy, client, { of: each });
      most.names = Math.max(most.names, route.windows.size + other.windows.size);
      held.clear();
    }
    expect(most.names).toBe(1_000);
    expect(route.windows.size + other.windows.size).toBe(200);
  });
});
