import type { Fault, FaultKind } from './plan.rules.js';
import type { Answer, TrafficKind } from './ports.js';

/** One thing that was checked, and what was wrong with it. */
export interface Check {
  /** A sentence that is true where it passed. */
  name: string;
  faults: readonly string[];
}

export interface KillSeen {
  atMs: number;
  number: number;
  /** Writes that the killed process had in hand, or that waited for the killed primary. */
  writesUnderWay: number;
}

/** The exit code, or the signal that ended it. */
export type Stop = number | string | null;

/** A tick that ran, with times of the database's clock. */
export interface TickSeen {
  url: string;
  startedAtMs: number;
  finishedAtMs: number;
}

/** Includes `fromMs`, excludes `toMs`. */
export interface Period {
  fromMs: number;
  toMs: number;
}

/** The observations of a storm. */
export interface StormSeen {
  asked: { elections: number; kills: number };
  planned: readonly Fault[];
  answers: readonly Answer[];
  kills: readonly KillSeen[];
  /** Ticks that crowds of requests started. */
  ticks: readonly TickSeen[];
  /** How many of their requests were answered 500. */
  failedTicks: number;
  /** When each new primary was seen first, without the one of the start. */
  electedAtMs: readonly number[];
  /** How often each kind of fault was carried out. */
  done: ReadonlyMap<FaultKind, number>;
  /** The period before the first fault. */
  calm: Period;
  /** From the stop of a primary until it continued. */
  freezes: readonly Period[];
  stops: readonly Stop[];
  /** When an instance was broken on purpose or not ready again. */
  broken: readonly (Period & { url: string })[];
}

/** Most of the kills have to hit a process that has a write in hand. */
const shareWithWrites = 0.5;
/** Kinds of writes that a storm has to have acknowledged. */
const writeKinds: readonly TrafficKind[] = [
  'intent',
  'attach',
  'dispute',
  'decision',
  'tick',
  'job',
  'webhook',
];

/** A storm that broke nothing, or found nothing to break, proves nothing. */
export function vacuity(seen: StormSeen): Check[] {
  const { asked, kills, electedAtMs, done, answers, planned } = seen;
  const withWrites = kills.filter(({ writesUnderWay }) => writesUnderWay > 0).length;
  const kinds = [...new Set(planned.map(({ kind }) => kind))];
  const missing = kinds.filter((kind) => (done.get(kind) ?? 0) === 0);
  const acknowledged = new Set(answers.filter((one) => one.acknowledged).map(({ kind }) => kind));
  return [
    check(
      `${electedAtMs.length} elections were seen, of ${asked.elections} asked for`,
      electedAtMs.length < asked.elections ? ['The run is vacuous: too few elections.'] : [],
    ),
    check(
      `${kills.length} processes were killed, of ${asked.kills} asked for`,
      kills.length < asked.kills ? ['The run is vacuous: too few kills.'] : [],
    ),
    check(
      `${withWrites} of ${kills.length} kills hit writes under way`,
      withWrites <= kills.length * shareWithWrites && kills.length > 0
        ? ['The run is vacuous: most kills hit no write.']
        : [],
    ),
    check(
      'every kind of fault that was planned occurred',
      missing.map((kind) => `The run is vacuous: ${kind} never occurred.`),
    ),
    check(
      'every kind of write was acknowledged',
      writeKinds
        .filter((kind) => !acknowledged.has(kind))
        .map((kind) => `The run is vacuous: no ${kind} was acknowledged.`),
    ),
  ];
}

/**
 * Routes that are answered from what an instance holds, with or without a database; all others may be 503. A client that
 * the instance holds no points for is refused while nobody can count, as docs/operations.md says.
 */
const keptRoutes: readonly string[] = ['GET /api/rates/:corridor', 'GET /api/snapshot', 'GET /api/corridors'];
/** How much slower reads may be while the primary is frozen, and what is fast enough on a machine that does other things. */
const frozenFactor = 3;
const fastEnoughMs = 150;
/** Instances that were killed a moment ago count among those that share a limit, so a portion may be smaller. */
const shareRefused = 0.05;
/** The share for clients without points at an instance, which are refused while there is no primary. */
const shareOfOthersRefused = 0.25;
const longestSilenceMs = 10_000;
/** With fewer than a hundred samples, the p99 is the slowest of them, which is a stricter check. */
const enoughSamples = 50;
/** The limit from a new primary to its first acknowledged write: clients wait as long as a 503 tells them to. */
const resumeWithinMs = 12_000;

export function availability(seen: StormSeen): Check[] {
  const { answers } = seen;
  const kept = answers.filter(({ route }) => keptRoutes.includes(route));
  const wasWhole = ({ url, startedAtMs, tookMs }: Answer) =>
    seen.broken.every(
      (one) => one.url !== url || one.toMs < startedAtMs || one.fromMs > startedAtMs + tookMs,
    );
  const wrong = kept.filter(({ status }) => typeof status === 'number' && ![200, 429, 503].includes(status));
  // A tick or another job does all that is due, and may take longer than clients wait.
  const isJob = ({ kind }: Answer) => kind === 'tick' || kind === 'job';
  const unanswered = answers.filter((one) => one.status === 'cut' && !isJob(one) && wasWhole(one));
  const broken = answers.filter(
    ({ status }) => typeof status === 'number' && status >= 500 && status !== 503,
  );
  const unsaid = answers.filter(
    ({ kind, status, retryAfter }) => status === 503 && kind !== 'read' && retryAfter === undefined,
  );
  return [
    check(`no answer of ${answers.length} was a 500`, broken.map(told)),
    check(
      'every answer was as the contract says',
      answers.flatMap((one) => (one.fault === undefined ? [] : [`${told(one)}: ${one.fault}`])),
    ),
    check('no request to a whole instance was left without an answer', unanswered.map(told)),
    check('public reads were answered with 200, 429 or 503', wrong.map(told)),
    check(
      `${kept.length} public reads went on`,
      keptRoutes.flatMap((route) => silences(seen, kept, route)),
    ),
    ...servedReads(seen, kept),
    check('every write that was answered 503 was told when to come again', unsaid.map(told)),
    frozenReads(seen),
    resumedWrites(seen),
    stopped(seen),
  ];
}

/** An instance whose database was just broken may fail to stop cleanly; most must stop cleanly. */
function stopped({ stops }: StormSeen): Check {
  const clean = stops.filter((how) => how === 0).length;
  return check(
    `${clean} of ${stops.length} instances that were asked to stop ended with 0`,
    clean * 2 < stops.length ? ['Most did not.'] : [],
  );
}

/** Clients that the instance holds points for are served, also while the primary is frozen; others are counted apart. */
function servedReads(seen: StormSeen, kept: readonly Answer[]): Check[] {
  const whileFrozen = (one: Answer) => frozen(seen).some((freeze) => within(one.startedAtMs, freeze));
  const returning = new Set(ofReturning(seen, kept));
  const some = [...returning];
  const others = kept.filter((one) => !returning.has(one));
  return [
    servedCheck(some, 'returning clients', shareRefused),
    servedCheck(some.filter(whileFrozen), 'returning clients, while the primary was frozen,', shareRefused),
    servedCheck(others, 'other clients', shareOfOthersRefused),
  ];
}

function servedCheck(reads: readonly Answer[], who: string, atMost: number): Check {
  const refused = reads.filter(({ status }) => status === 503 || status === 429);
  return check(
    `${refused.length} of ${reads.length} public reads of ${who} were refused`,
    refused.length > reads.length * atMost ? refused.map(told) : [],
  );
}

/** Reads of clients for which the instance holds points, and has held them since it was last broken. */
function ofReturning({ broken }: StormSeen, kept: readonly Answer[]): Answer[] {
  return kept.filter(
    ({ url, heldSinceMs, startedAtMs, tookMs }) =>
      heldSinceMs !== undefined &&
      broken.every((one) => one.url !== url || one.toMs < heldSinceMs || one.fromMs > startedAtMs + tookMs),
  );
}

/** The times in which a frozen primary was the primary: from the next election on there is another one. */
function frozen({ freezes, electedAtMs }: StormSeen): Period[] {
  return freezes.map(({ fromMs, toMs }) => ({
    fromMs,
    toMs: Math.min(toMs, electionAfter(electedAtMs, fromMs)),
  }));
}

function electionAfter(electedAtMs: readonly number[], fromMs: number): number {
  return electedAtMs.find((atMs) => atMs > fromMs) ?? Number.POSITIVE_INFINITY;
}

/** Long times without a served read of this route, from the calm until the last public read was answered at all. */
function silences({ calm }: StormSeen, kept: readonly Answer[], route: string): string[] {
  const endOf = ({ startedAtMs, tookMs }: Answer) => startedAtMs + tookMs;
  const served = kept.filter((one) => one.route === route && one.status === 200).map(endOf);
  const last = kept.reduce((latest, one) => Math.max(latest, endOf(one)), calm.fromMs);
  const ends = [calm.fromMs, ...served.sort((a, b) => a - b), last];
  return ends.flatMap((endMs, place) => {
    const silenceMs = endMs - (ends[place - 1] ?? endMs);
    const seconds = (silenceMs / 1_000).toFixed(1);
    return silenceMs > longestSilenceMs
      ? [`${timeOfDay(endMs)} ${route} was not served for ${seconds} s`]
      : [];
  });
}

/** A tick that begins before another has ended does the same work again. */
export function oneTickAtATime({ ticks, failedTicks }: StormSeen): Check {
  const inOrder = [...ticks].sort((a, b) => a.startedAtMs - b.startedAtMs);
  const doubled = inOrder.filter((tick, index) => {
    const before = inOrder[index - 1];
    return before !== undefined && tick.startedAtMs < before.finishedAtMs;
  });
  return check(`of ${ticks.length} ticks that crowds of requests started, no two ran at the same time`, [
    ...doubled.map(
      ({ url, startedAtMs }) => `${url} began one at ${new Date(startedAtMs).toISOString()} during another.`,
    ),
    ...(failedTicks > 0
      ? [`${failedTicks} of them were answered 500, as happens when two ticks do the same work.`]
      : []),
  ]);
}

/** The durations of returning clients' public reads that began in these periods, in milliseconds. */
function tookIn(seen: StormSeen, periods: readonly Period[]): number[] {
  const kept = seen.answers.filter(({ route, status }) => keptRoutes.includes(route) && status === 200);
  return ofReturning(seen, kept)
    .filter(({ startedAtMs }) => periods.some((one) => within(startedAtMs, one)))
    .map(({ tookMs }) => tookMs);
}

function frozenReads(seen: StormSeen): Check {
  const before = tookIn(seen, [seen.calm]);
  const whileFrozen = tookIn(seen, frozen(seen));
  const [calmP99Ms, frozenP99Ms] = [before, whileFrozen].map((took) => percentile(took, 0.99)) as [
    number,
    number,
  ];
  const limitMs = Math.max(frozenFactor * calmP99Ms, fastEnoughMs);
  const wanted = seen.planned.some(({ kind }) => kind === 'freeze-primary');
  const few = wanted && Math.min(before.length, whileFrozen.length) < enoughSamples;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  return check(
    `p99 of ${whileFrozen.length} public reads while the primary was frozen: ${ms(frozenP99Ms)}, of ${before.length} before: ${ms(calmP99Ms)}`,
    [
      ...(few ? [`The run is vacuous: ${enoughSamples} samples of each are needed.`] : []),
      ...(frozenP99Ms > limitMs ? [`More than ${ms(limitMs)}.`] : []),
    ],
  );
}

/** The p99 of the same reads from the election on, while the old primary is still frozen: waiting requests continue then. */
export function afterElectionP99Ms(seen: StormSeen): number {
  const { freezes, electedAtMs } = seen;
  const periods = freezes.map(({ fromMs, toMs }) => ({ fromMs: electionAfter(electedAtMs, fromMs), toMs }));
  return percentile(tookIn(seen, periods), 0.99);
}

/** The time from every election to the first write acknowledged after it, in milliseconds. */
export function resumptions({ electedAtMs, answers }: StormSeen): number[] {
  const writes = answers
    .filter(({ acknowledged }) => acknowledged)
    .map(({ startedAtMs, tookMs }) => startedAtMs + tookMs)
    .sort((a, b) => a - b);
  return electedAtMs.map(
    (atMs) => (writes.find((endMs) => endMs >= atMs) ?? Number.POSITIVE_INFINITY) - atMs,
  );
}

function resumedWrites(seen: StormSeen): Check {
  const late = resumptions(seen).filter((ms) => ms > resumeWithinMs);
  return check(
    `writes were acknowledged again within ${resumeWithinMs / 1_000} s of each election`,
    late.map((ms) => `One election was followed by ${(ms / 1_000).toFixed(1)} s without.`),
  );
}

export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

function check(name: string, faults: readonly string[]): Check {
  return { name, faults };
}

function within(atMs: number, { fromMs, toMs }: Period): boolean {
  return atMs >= fromMs && atMs < toMs;
}

function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23);
}

function told({ route, url, status, code, startedAtMs, requestId }: Answer): string {
  return `${timeOfDay(startedAtMs)} ${route} at ${url}: ${status} ${code ?? ''} ${requestId ?? ''}`.trimEnd();
}
