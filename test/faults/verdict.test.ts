import { describe, expect, it } from '@jest/globals';
import { allKinds, type Fault } from '../../scripts/faults/plan.rules.js';
import type { Answer, TrafficKind } from '../../scripts/faults/ports.js';
import {
  afterElectionP99Ms,
  availability,
  type Check,
  oneTickAtATime,
  type StormSeen,
  vacuity,
} from '../../scripts/faults/verdict.rules.js';

const url = 'http://127.0.0.1:1';
const writes: TrafficKind[] = ['intent', 'attach', 'dispute', 'decision', 'tick', 'job', 'webhook'];
const routes = ['GET /api/rates/:corridor', 'GET /api/snapshot', 'GET /api/corridors'];

function answer(of: Partial<Answer>): Answer {
  const base = { kind: 'read', route: 'GET /api/rates/:corridor', url, status: 200, tookMs: 5 } as const;
  return { ...base, startedAtMs: 0, acknowledged: false, ...of };
}

const planned: Fault[] = allKinds.map((kind, place) => ({
  number: place + 1,
  kind,
  afterMs: 0,
  lastsMs: 0,
  pick: 0,
}));

/** A storm without any fault of the service: calm to 20 s, frozen from 30 s to 40 s, an election at 33 s. */
function sound(of: Partial<StormSeen> = {}): StormSeen {
  const reads = Array.from({ length: 2_000 }, (_, index) =>
    answer({ route: routes[index % 3] ?? '', startedAtMs: index * 25, heldSinceMs: 0 }),
  );
  const acknowledged = writes.map((kind, place) =>
    answer({ kind, route: 'POST', status: 201, acknowledged: true, startedAtMs: 34_000 + place }),
  );
  return {
    asked: { elections: 1, kills: 2 },
    planned,
    answers: [...reads, ...acknowledged],
    kills: [1, 2, 3].map((number) => ({ atMs: 25_000, number, writesUnderWay: number - 1 })),
    ticks: [10, 20, 30].map((startedAtMs) => ({ url, startedAtMs, finishedAtMs: startedAtMs + 10 })),
    electedAtMs: [33_000],
    done: new Map(allKinds.map((kind) => [kind, 1])),
    calm: { fromMs: 0, toMs: 20_000 },
    failedTicks: 0,
    freezes: [{ fromMs: 30_000, toMs: 40_000 }],
    stops: [0, 0, 1],
    broken: [{ url, fromMs: 45_000, toMs: 46_000 }],
    ...of,
  };
}

const withAnswers = (...more: Partial<Answer>[]) =>
  sound({ answers: [...sound().answers, ...more.map(answer)] });
const failed = (checks: readonly Check[]) => checks.flatMap(({ faults }) => faults);

describe('a storm', () => {
  it('passes where everything went as it must', () => {
    expect(failed([...vacuity(sound()), ...availability(sound()), oneTickAtATime(sound())])).toEqual([]);
  });

  it.each<[string, Partial<StormSeen>, RegExp]>([
    ['fewer elections were seen than asked for', { electedAtMs: [] }, /too few elections/],
    ['fewer processes were killed than asked for', { kills: [] }, /too few kills/],
    [
      'most kills hit no write',
      { kills: [0, 0, 1].map((writesUnderWay, number) => ({ atMs: 0, number, writesUnderWay })) },
      /most kills hit no write/,
    ],
    [
      'a planned kind of fault never occurred',
      { done: new Map([['step-down', 1]]) },
      /fill-disk never occurred/,
    ],
    [
      'a kind of write was never acknowledged',
      { answers: sound().answers.filter(({ kind }) => kind !== 'dispute') },
      /no dispute was acknowledged/,
    ],
  ])('fails as vacuous where %s', (_what, of, expected) => {
    expect(failed(vacuity(sound(of))).join()).toMatch(expected);
  });

  it.each<[string, StormSeen, RegExp]>([
    ['an answer is a 500', withAnswers({ status: 500, requestId: 'r-1' }), /500 +r-1/],
    ['an answer breaks the contract', withAnswers({ fault: 'It lacks its id.' }), /It lacks its id/],
    [
      'a whole instance leaves a request without an answer',
      withAnswers({ kind: 'intent', status: 'cut', startedAtMs: 41_000 }),
      /: cut/,
    ],
    [
      'a write is answered 503 and not told when to come again',
      withAnswers({ kind: 'intent', route: 'POST', status: 503 }),
      /503/,
    ],
    [
      'public reads are silent for long',
      sound({
        answers: sound().answers.filter(({ startedAtMs }) => startedAtMs < 31_000 || startedAtMs > 44_000),
      }),
      /GET .api.corridors was not served for 13.1 s/,
    ],
    [
      'one of the public routes is never served',
      sound({ answers: sound().answers.filter(({ route }) => route !== 'GET /api/snapshot') }),
      /GET .api.snapshot was not served for 50.0 s/,
    ],
    [
      'no public read is served any more in the end',
      sound({
        answers: sound().answers.map((one) =>
          one.kind === 'read' && one.startedAtMs >= 20_000 ? { ...one, status: 503 } : one,
        ),
      }),
      /was not served for 30.0 s/,
    ],
    [
      'a third of the clients that come for the first time are refused',
      withAnswers(...Array.from({ length: 100 }, () => ({ status: 503, retryAfter: 2 }))),
      /: 503/,
    ],
    ['a public read is answered with 404', withAnswers({ status: 404 }), /: 404/],
    ['most instances did not stop cleanly', sound({ stops: [0, 1, 'SIGKILL'] }), /Most did not/],
    [
      'reads are slow while the primary is frozen',
      sound({
        answers: sound().answers.map((one) => ({ ...one, tookMs: one.startedAtMs > 30_000 ? 200 : 5 })),
      }),
      /More than 150.0 ms/,
    ],
    [
      'returning clients are refused while the primary is frozen',
      sound({
        answers: sound().answers.map((one) =>
          one.startedAtMs > 32_000 && one.kind === 'read' && one.startedAtMs < 32_500
            ? { ...one, status: 503 }
            : one,
        ),
      }),
      /: 503/,
    ],
    [
      'too few reads fell into the freeze',
      sound({ freezes: [{ fromMs: 30_000, toMs: 31_000 }] }),
      /50 samples of each are needed/,
    ],
    [
      'no write is acknowledged after an election',
      sound({ electedAtMs: [33_000, 40_000] }),
      /followed by Infinity s without/,
    ],
  ])('fails where %s', (_what, seen, expected) => {
    expect(failed(availability(seen)).join()).toMatch(expected);
  });

  it('fails where a tick began before another had ended', () => {
    const ticks = [...sound().ticks, { url: 'http://127.0.0.1:2', startedAtMs: 25, finishedAtMs: 26 }];
    expect(failed([oneTickAtATime(sound({ ticks }))])).toEqual([
      'http://127.0.0.1:2 began one at 1970-01-01T00:00:00.025Z during another.',
    ]);
    expect(failed([oneTickAtATime(sound({ failedTicks: 2 }))])).toEqual([
      '2 of them were answered 500, as happens when two ticks do the same work.',
    ]);
  });

  it('forgives what happens to requests of an instance that was broken on purpose', () => {
    const seen = withAnswers({ kind: 'intent', status: 'cut', startedAtMs: 45_500 });
    expect(failed(availability(seen))).toEqual([]);
  });

  it('lets a client be refused that the instance cannot know any longer, or did not know', () => {
    const refused = (index: number) => ({ status: 503, startedAtMs: 46_500 + index }) as const;
    const forgotten = Array.from({ length: 30 }, (_, index) => ({ ...refused(index), heldSinceMs: 44_000 }));
    const unknown = Array.from({ length: 30 }, (_, index) => refused(index));
    expect(failed(availability(withAnswers(...forgotten, ...unknown)))).toEqual([]);
  });

  it('excludes answers after the election from the p99 while the primary is frozen', () => {
    const answers = sound().answers.map((one) => ({ ...one, tookMs: one.startedAtMs > 33_000 ? 200 : 5 }));
    expect(failed(availability(sound({ answers })))).toEqual([]);
    expect(afterElectionP99Ms(sound({ answers }))).toBe(200);
  });

  it('passes with 120 ms while the primary is frozen, although the calm p99 is 1 ms', () => {
    const answers = sound().answers.map((one) => ({ ...one, tookMs: one.startedAtMs > 30_000 ? 120 : 1 }));
    expect(failed(availability(sound({ answers })))).toEqual([]);
  });
});
