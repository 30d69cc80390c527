import { describe, expect, it } from '@jest/globals';
import { encodePublicKey } from '../../contract/verification/strkey.js';
import { type CollectedReading, checksOf, type SoakPart } from '../../scripts/bench/soak/checks.js';
import { createMix, mix } from '../../scripts/bench/soak/mix.js';

const steady: SoakPart = {
  answers: 60_000,
  p50Ms: 2,
  p99Ms: 20,
  registerP99Ms: 400,
  waiting: 0,
  rssBytes: 200e6,
  mongodRssBytes: 500e6,
  clients: 300,
  ownSockets: 200,
  otherFiles: 20,
  timers: 200,
  listeners: 8,
  listenerWarnings: 0,
  sessions: 40,
  openTransactions: 0,
  connections: 30,
  openCursors: 4,
};
const kept: CollectedReading = {
  heapBytes: 90e6,
  emitters: 500,
  abortSignals: 40,
  timers: 60,
  sockets: 300,
  promises: 900,
};

/** The names of the checks that fail after 20 minutes in which this value grows by a tenth of itself every minute. */
function broken(
  grows: keyof SoakPart | undefined,
  end: Partial<CollectedReading> = {},
  others = {},
): string[] {
  const parts = Array.from({ length: 20 }, (_, minute) =>
    grows === undefined ? steady : { ...steady, [grows]: Math.max(steady[grows], 10) * (1 + minute / 10) },
  );
  const soaked = {
    parts,
    filled: kept,
    end: { ...kept, ...end },
    addresses: 10,
    amounts: 10,
    goal: 10,
    lostStreams: 0,
  };
  return checksOf({ ...soaked, ...others }).flatMap(({ what, holds }) => (holds ? [] : [what]));
}

describe('the checks of a soak', () => {
  it('all hold where nothing changes', () => {
    expect(broken(undefined)).toEqual([]);
  });

  it.each([
    ['rssBytes', 'resident memory of the service, MB'],
    ['ownSockets', 'sockets that no client holds'],
    ['otherFiles', 'other open files of the service'],
    ['timers', 'timers that keep it running'],
    ['listeners', 'listeners of the process'],
    ['listenerWarnings', 'warnings of too many listeners'],
    ['sessions', 'sessions on the server'],
    ['openTransactions', 'open transactions on the server'],
    ['connections', 'connections to the server'],
    ['openCursors', 'open cursors on the server'],
    ['p50Ms', 'p50, ms'],
    ['p99Ms', 'p99, ms'],
    ['registerP99Ms', 'p99 of registrations, ms'],
  ] as const)('find %s that grows, and nothing else', (grows, what) => {
    expect(broken(grows)).toEqual([what]);
  });

  it.each([
    ['heapBytes', 'heap and buffers after a collection, MB'],
    ['timers', 'timers in memory'],
    ['emitters', 'emitters of events in memory'],
    ['abortSignals', 'abort signals in memory'],
    ['sockets', 'sockets in memory'],
    ['promises', 'promises in memory'],
  ] as const)('find twice as many %s in the memory at the end', (key, what) => {
    expect(broken(undefined, { [key]: kept[key] * 2 + 50 })).toEqual([what]);
  });

  it('say that fewer clients came than were meant to, and that streams were cut off', () => {
    expect(broken(undefined, {}, { addresses: 9, lostStreams: 1 })).toEqual([
      'distinct client addresses',
      'streams that were cut off',
    ]);
  });
});

describe('the requests of a soak', () => {
  const requests = createMix({
    host: 'bench.test',
    account: encodePublicKey(new Uint8Array(32).fill(7)),
    adminKey: 'k',
    webhookId: 'w',
  });

  it('never come from an address twice, and hardly ever bring an amount that was sent before', () => {
    const texts = Array.from({ length: 5_000 }, () => {
      const request = requests.next();
      if (request.intentHash !== undefined) requests.remember(request.intentHash);
      return request.text;
    });
    const found = (pattern: RegExp) => texts.flatMap((text) => pattern.exec(text)?.[1] ?? []);
    expect(new Set(found(/x-forwarded-for: (\S+)/)).size).toBe(texts.length);
    const amounts = found(/(?:amount=|"sellAmount":")([\d.]+)/);
    expect(new Set(amounts).size).toBe(amounts.length);
    expect(amounts.length).toBe(requests.used().amounts);
    expect(amounts.length / texts.length).toBeGreaterThan((mix.rates + mix.register) / 1_000 - 0.05);
  });
});
