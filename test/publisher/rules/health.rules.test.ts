import { describe, expect, it } from '@jest/globals';
import { createHealth } from '../../../server/features/publisher/health.js';
import {
  beginTick,
  endTick,
  type Facts,
  firstState,
  judge,
  type TickNote,
  type TickState,
} from '../../../server/features/publisher/health.rules.js';

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 21, 9, minutes));
const good: TickNote = { startedAt: at(0), finishedAt: at(1), result: 'published', failure: null };
const bad: TickNote = { ...good, failure: 'oracle_timeout' };

const ticked: TickState = { ...firstState, lastTick: good };
const facts: Facts = {
  now: at(5),
  state: ticked,
  hasKey: true,
  hasBatch: true,
  waitingSince: null,
  staleAfterMs: 15 * 60_000,
};

describe('ticks', () => {
  it('count failures in a row until one succeeds', () => {
    let state: TickState = firstState;
    for (const [note, failures] of [
      [bad, 1],
      [bad, 2],
      [good, 0],
      [bad, 1],
    ] as const) {
      state = endTick(beginTick(state, { token: 1, startedAt: at(0) }), note);
      expect(state).toMatchObject({ running: null, lastTick: note, consecutiveFailures: failures });
    }
  });

  it('that are held say since when, until one publishes or finds nothing new', () => {
    const held: TickNote = { ...good, result: 'held', failure: 'log_behind' };
    let state: TickState = firstState;
    for (const [note, heldSince] of [
      [good, null],
      [{ ...held, startedAt: at(5) }, at(5)],
      [{ ...held, startedAt: at(10) }, at(5)],
      [{ ...held, startedAt: at(15), result: null, failure: 'internal' }, at(5)],
      [{ ...good, result: 'unchanged' }, null],
    ] as const) {
      state = endTick(beginTick(state, { token: 1, startedAt: note.startedAt }), note);
      expect(state.heldSince).toEqual(heldSince);
    }
  });

  it('that died are recorded and counted by the next', () => {
    const died = beginTick(ticked, { token: 1, startedAt: at(2) });
    const next = beginTick(died, { token: 2, startedAt: at(4) });
    expect(next).toMatchObject({
      running: { token: 2 },
      lastTick: { startedAt: at(2), finishedAt: null, failure: 'interrupted' },
      consecutiveFailures: 1,
    });
  });

  it('that were stopped leave the state unchanged', () => {
    const failing = endTick(firstState, bad);
    expect(endTick(beginTick(failing, { token: 3, startedAt: at(3) }), null)).toEqual(failing);
  });
});

describe('the health status', () => {
  it.each<[string, Partial<Facts>]>([
    ['ok', {}],
    ['ok', { now: at(16) }],
    ['stale no_tick', { now: at(17) }],
    ['stale no_tick', { state: firstState }],
    ['ok', { waitingSince: at(-9) }],
    ['stale receipt_overdue', { waitingSince: at(-11) }],
    ['idle nothing_published', { hasBatch: false }],
    ['idle nothing_published', { hasBatch: false, state: firstState }],
    ['idle no_key', { hasKey: false }],
    ['idle no_key', { hasKey: false, now: at(59) }],
    ['failing oracle_timeout', { state: { ...ticked, lastTick: bad, consecutiveFailures: 1 } }],
    [
      'failing oracle_timeout',
      { state: { ...ticked, lastTick: bad, consecutiveFailures: 1 }, hasKey: false },
    ],
  ])('is %s for %o', (expected, changes) => {
    expect(verdict(changes)).toBe(expected);
  });
});

describe('the running tick, by what is read while others write', () => {
  const tickState = (running: TickState['running']): TickState => ({ ...ticked, running });
  const running = { token: 7, startedAt: at(4) };
  const held = { token: 7, expiresAt: at(6) };
  it.each<[string, TickState, { token: number; expiresAt: Date } | null, string]>([
    ['is shown while it holds its lease', tickState(running), held, 'ok'],
    ['has died where no lease is held', tickState(running), null, 'failing interrupted'],
    ['has died where another holds it', tickState(running), { ...held, token: 8 }, 'failing interrupted'],
    ['has died where it expired', tickState(running), { ...held, expiresAt: at(5) }, 'failing interrupted'],
    ['has just ended', ticked, held, 'ok'],
    ['has just begun, after the lease was read', tickState({ ...running, token: 8 }), held, 'ok'],
  ])('%s', async (_what, state, lease, expected) => {
    const health = createHealth({
      batches: {
        latest: async () => null,
        latestSubmitted: async () => null,
        oldestWithoutReceipt: async () => null,
        listKeys: async () => [],
      },
      ticks: { read: async () => state },
      lease: async () => lease,
      currentKey: { keyId: 'ab', publicKey: 'G' },
      oldKeys: [],
      hasOracle: true,
      staleAfterMs: 15 * 60_000,
      clock: () => at(5).getTime(),
    });
    const { status, reason } = await health();
    expect(status === 'idle' ? 'ok' : `${status} ${reason}`).toBe(expected);
  });
});

function verdict(changes: Partial<Facts>): string {
  const { status, reason } = judge({ ...facts, ...changes });
  return reason === null ? status : `${status} ${reason}`;
}
