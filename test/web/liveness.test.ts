import { describe, expect, it } from '@jest/globals';
import type { Problem } from '../../web/src/data/problem.js';
import type { StreamStanding } from '../../web/src/data/use-stream.js';
import { livenessOf } from '../../web/src/pages/rates/liveness.js';

const live: StreamStanding = { state: 'live' };
const unreachable: Problem = { kind: 'unreachable' };
const offline: Problem = { kind: 'offline' };
const limited: Problem = {
  kind: 'limited',
  body: { code: 'RATE_LIMITED', message: 'This client holds 20 streams.', retryAfter: 10 },
};
const lost = (problem?: Problem): StreamStanding => ({ state: 'reconnecting', problem });

const of = (problem: Problem | undefined, standing: StreamStanding, isTroubled = false, isOnline = true) =>
  livenessOf({ problem, standing, isTroubled, isOnline });

describe('how the board says that it is kept up to date', () => {
  it('is live while its stream is, and asked about while that tells of a problem', () => {
    expect(of(undefined, live)).toBe('live');
    expect(of(undefined, live, true)).toBe('asking');
  });

  it('is asked about before its stream is open, and where the service has no place for another', () => {
    expect(of(undefined, { state: 'connecting' })).toBe('asking');
    expect(of(undefined, lost(limited))).toBe('asking');
    expect(of(undefined, { state: 'refused', problem: limited })).toBe('asking');
  });

  it('reconnects where the connection is lost, or the service ended it', () => {
    expect(of(undefined, lost())).toBe('reconnecting');
    expect(of(undefined, lost(unreachable))).toBe('reconnecting');
    expect(of(unreachable, { state: 'connecting' })).toBe('reconnecting');
  });

  it('is offline where the browser is', () => {
    expect(of(undefined, lost(offline))).toBe('offline');
    expect(of(offline, { state: 'connecting' })).toBe('offline');
    expect(of(undefined, live, false, false)).toBe('offline');
  });
});
