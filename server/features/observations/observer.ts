import pLimit from 'p-limit';
import type { ObserverRound } from '../../../contract/schemas/observations.js';
import type { HeldLease, LeaseOutcome, Leases } from '../../mongo/leases.js';
import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';
import { untilAborted } from '../../timing.js';
import type { Corridor, FleetAnchor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { AskAnchor } from './ask-anchor.js';
import { assess } from './assess.rules.js';
import { countsOf } from './counts.rules.js';
import { changesOf, type Finding, mergeFindings } from './findings.rules.js';
import { latestOf } from './latest.rules.js';
import type { Observation } from './observation.js';
import { createPriceBoard } from './price-board.js';
import { planRound } from './round-plan.rules.js';
import type { ObservationStore, ObservedAnchor } from './store.js';

export const observerLease = 'observer';
/** The number of anchors asked at the same time. A slow anchor occupies a slot for 20 seconds at most. */
const anchorsAtOnce = 32;
const leaseTtlMs = 30_000;

export interface ObserverDeps {
  store: ObservationStore;
  directory: Pick<AnchorDirectory, 'anchors' | 'corridor'>;
  askAnchor: AskAnchor;
  leases: Pick<Leases, 'run'>;
  inTransaction: InTransaction;
  clock: Clock;
  logger: Logger;
}

/**
 * Runs one round: asks every anchor that the budget allows once, and stores each observation as soon as it is complete.
 * Anchors that were observed less than `leastAgeMs` ago are skipped.
 */
export type Observer = (leastAgeMs: number) => Promise<LeaseOutcome<ObserverRound>>;

export function createObserver(deps: ObserverDeps): Observer {
  const { store, directory, clock, logger } = deps;
  const inLeasedTransaction = createInLeasedTransaction(deps.inTransaction);

  async function round(lease: HeldLease, leastAgeMs: number): Promise<ObserverRound> {
    const startedAt = clock();
    const members = new Map(directory.anchors().map((anchor) => [anchor.id, anchor]));
    const known = new Map((await store.findMany([...members.keys()])).map((each) => [each.anchorId, each]));
    const board = createPriceBoard([...known.values()], startedAt);
    const turns = pLimit(anchorsAtOnce);
    let calls = 0;
    let findings = 0;

    async function observe(anchor: FleetAnchor, asked: readonly string[]): Promise<void> {
      lease.signal.throwIfAborted();
      const observation = await untilAborted(lease.signal, () => deps.askAnchor(anchor, corridorsOf(asked)));
      board.enter(anchor.id, observation);
      const before = known.get(anchor.id);
      const after = judge(anchor, observation, before, board.pricesOf);
      const day = toInstant(observation.atMs).slice(0, 10);
      const added = countsOf(observation).map((counts) => ({ day, ...counts }));
      await inLeasedTransaction(lease, (session) => store.keep(session, after, added));
      report(anchor.id, before?.findings ?? [], after.findings);
      calls += observation.made;
      findings += after.findings.length;
    }

    // A time ahead was stored before the clock was set back, and tells nothing about the age.
    const isDue = (atMs: number | null) =>
      atMs === null || atMs > startedAt || startedAt - atMs >= leastAgeMs;
    const due = [...members.values()]
      .map((anchor) => plannable(anchor, known.get(anchor.id)))
      .filter(({ observedAtMs }) => isDue(observedAtMs));
    const plan = planRound(due);
    const all = plan.flatMap(({ anchorId, corridors }) => {
      const anchor = members.get(anchorId);
      return anchor === undefined ? [] : [turns(() => observe(anchor, corridors))];
    });
    // The error of one anchor, such as a lost database connection, is thrown after the others have finished.
    for (const each of await Promise.allSettled(all)) if (each.status === 'rejected') throw each.reason;
    const durationMs = Math.max(0, clock() - startedAt);
    return { startedAt: toInstant(startedAt), anchors: all.length, calls, findings, durationMs };
  }

  function judge(
    anchor: FleetAnchor,
    observation: Observation,
    before: ObservedAnchor | undefined,
    pricesOf: Parameters<typeof assess>[2]['pricesOf'],
  ): ObservedAnchor {
    const at = new Date(observation.atMs);
    const served = anchor.corridors.flatMap(({ id, deliveryMethods }) => {
      const corridor = directory.corridor(id);
      return corridor === undefined ? [] : [{ ...corridor, deliveryMethods }];
    });
    const { checks, terms } = assess(observation, before?.terms ?? [], { corridors: served, pricesOf });
    const corridors = served.map(({ id }) => id);
    return {
      anchorId: anchor.id,
      rounds: (before?.rounds ?? 0) + 1,
      firstObservedAt: before?.firstObservedAt ?? at,
      observedAt: at,
      tookMs: Math.max(0, clock() - observation.atMs),
      findings: mergeFindings(before?.findings ?? [], checks, { at, corridors }),
      terms,
      ...latestOf(before, observation, corridors),
    };
  }

  function corridorsOf(ids: readonly string[]): Corridor[] {
    return ids.flatMap((id) => directory.corridor(id) ?? []);
  }

  function report(anchorId: string, before: readonly Finding[], after: readonly Finding[]): void {
    const { begun, ended } = changesOf(before, after);
    const fields = ({ code, service, corridor, detail }: Finding) => ({
      anchorId,
      code,
      service,
      corridor,
      detail,
    });
    for (const each of begun) logger.warn(fields(each), 'the observer finds something wrong with an anchor');
    for (const each of ended)
      logger.info(fields(each), 'what the observer found wrong with an anchor is mended');
  }

  return (leastAgeMs) => deps.leases.run(observerLease, leaseTtlMs, (lease) => round(lease, leastAgeMs));
}

function plannable(anchor: FleetAnchor, known: ObservedAnchor | undefined) {
  return {
    anchorId: anchor.id,
    corridors: anchor.corridors.map(({ id }) => id),
    rounds: known?.rounds ?? 0,
    observedAtMs: known?.observedAt.getTime() ?? null,
    tookMs: known?.tookMs ?? 0,
  };
}
