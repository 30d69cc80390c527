import pLimit from 'p-limit';
import { isRefused } from '../../../contract/anchor-documents/json.js';
import {
  type AnchorEndpoints,
  noEndpoints,
  readStellarToml,
  tomlUrl,
} from '../../../contract/anchor-documents/stellar-toml.js';
import type { AnchorAnswer, AnchorPage } from '../../../contract/schemas/anchors.js';
import type { CorridorPage } from '../../../contract/schemas/corridors.js';
import { ApiError, unsupportedPair } from '../../errors.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Outbound } from '../../outbound/outbound.js';
import { UpstreamFault } from '../../outbound/upstream-fault.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import type { Clock, Logger, Random } from '../../ports.js';
import type { Emit } from '../../webhooks/outbox.js';
import type { CacheEpoch } from '../cache/epoch.js';
import { toAnchorAnswer, toAnchorSummary, toCorridorAnswer } from './anchor-answer.rules.js';
import { createDiscovery } from './discovery.js';
import type { Fleet } from './fleet-file.rules.js';
import { syncFleet } from './fleet-sync.js';
import { createFleetWarnings } from './fleet-warnings.js';
import { createPartnerTokens } from './partner-tokens.js';
import { createSigningKeys } from './signing-keys.js';
import type { AnchorStore } from './store.js';
import { createUnreadableAnswers } from './unreadable-answers.js';

const idPattern = /^[a-z0-9-]{1,40}$/;
const concurrentReadings = 16;

type FleetMember = Fleet['anchors'][number];

interface PageRequest {
  limit?: string | undefined;
  cursor?: string | undefined;
}

export type AnchorDirectory = ReturnType<typeof createAnchorDirectory>;

export interface AnchorDirectoryDeps {
  store: AnchorStore;
  fleet: Fleet;
  outbound: Outbound;
  cacheEpoch: Pick<CacheEpoch, 'onEmptied'>;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** The environment variables, which hold the partner tokens under the names that the fleet file gives. */
  env: Readonly<Record<string, string | undefined>>;
  /** Whether an FX reference is configured, for anchors that can only be estimated. */
  hasFx: boolean;
  writeEvent: Emit;
  inTransaction: InTransaction;
}

/** The anchors of the fleet, their addresses, and what is known of them. */
export function createAnchorDirectory(deps: AnchorDirectoryDeps) {
  const { store, fleet, clock, logger, cacheEpoch } = deps;
  const corridors = new Map(fleet.corridors.map((corridor) => [corridor.id, corridor]));
  const members = new Map(fleet.anchors.map((anchor) => [anchor.id, anchor]));
  const homeDomainOf = (id: string) => members.get(id)?.homeDomain ?? null;
  const keys = createSigningKeys({ store, homeDomainOf, logger });
  const partnerTokens = createPartnerTokens(deps);
  const warnings = createFleetWarnings(deps);
  const unreadable = createUnreadableAnswers(deps);
  const underWay = new Set<Promise<unknown>>();

  const discovery = createDiscovery({
    ...deps,
    onUnreadable: (anchorId, what) => unreadable.note(anchorId, 'stellar.toml', what),
    onRead(anchorId, read) {
      track(keep(anchorId, read));
      warnings.reportEndpoints(anchorId, discovery.withOverrides(anchorId, read));
    },
  });
  cacheEpoch.onEmptied(() => discovery.clear());

  /** Registers background work, which only `stop` waits for. */
  function track(work: Promise<unknown>): void {
    const settled = work.catch((error: unknown) => {
      logger.warn({ err: error }, 'what was read of an anchor could not be kept');
    });
    underWay.add(settled);
    settled.finally(() => underWay.delete(settled));
  }

  async function keep(anchorId: string, endpoints: AnchorEndpoints): Promise<void> {
    const shown = members.get(anchorId)?.endpoints?.signingKey ?? endpoints.signingKey;
    const stored = store.keepReading(anchorId, homeDomainOf(anchorId), endpoints, new Date(clock()));
    await Promise.all([keys.judge(anchorId, shown), stored]);
  }

  function servingAnchors(): FleetMember[] {
    return fleet.anchors.filter((anchor) => !keys.isRefused(anchor.id));
  }

  return {
    /** Brings the fleet file into MongoDB and loads what is known; call it before serving. */
    async sync(): Promise<void> {
      const anchors = await syncFleet(deps);
      keys.load(anchors);
      const judged = anchors.map(async ({ _id: id, endpoints, discoveredAt }) => {
        if (endpoints !== null && discoveredAt !== null)
          discovery.seed(id, endpoints, discoveredAt.getTime());
        await keys.judge(id, members.get(id)?.endpoints?.signingKey ?? endpoints?.signingKey ?? null);
      });
      await Promise.all(judged);
      for (const { id } of fleet.anchors) {
        const known = discovery.view(id);
        if (known !== undefined && known.state !== 'pending') warnings.reportEndpoints(id, known.endpoints);
      }
      partnerTokens.reportMissing(fleet.anchors);
      warnings.reportFile(fleet.anchors);
    },
    /**
     * Reads every stellar.toml whose last reading is no longer fresh. This also lets refused anchors, which nobody asks
     * for rates, show their first key again.
     */
    async discoverDue(): Promise<void> {
      const readings = pLimit(concurrentReadings);
      // A failure is logged where it happens, and stellar.toml is read again at the next request for the anchor.
      const read = (id: string) => readings(() => discovery.endpointsOf(id)).catch(() => undefined);
      await Promise.all(fleet.anchors.map(({ id }) => read(id)));
    },
    /** Waits until everything that was read is stored. */
    async stop(): Promise<void> {
      await Promise.all(underWay);
    },
    corridor: (id: string) => corridors.get(id),
    /** Ordered by id. */
    corridors: () => fleet.corridors,
    /** The anchors that serve a corridor now, by id; refused ones are left out. */
    anchorsOf: (corridorId: string) =>
      servingAnchors().filter((anchor) => anchor.corridors.some(({ id }) => id === corridorId)),
    /** Grows whenever an anchor begins or ceases to be refused, which makes quotes void. */
    servingVersion: keys.refusalChanges,
    /** Every anchor of the fleet file, by id. */
    anchors: () => fleet.anchors,
    /** An anchor of the fleet that is not refused. */
    anchor: (id: string) => (keys.isRefused(id) ? undefined : members.get(id)),
    /** Throws UpstreamFault while the addresses cannot be read. */
    async endpointsOf(anchorId: string): Promise<AnchorEndpoints> {
      const endpoints = await discovery.endpointsOf(anchorId);
      // This reading may have revealed another signing key.
      if (keys.isRefused(anchorId))
        throw new UpstreamFault('not_served', 'the anchor shows another signing key');
      return endpoints;
    },
    /** The URL of an anchor's stellar.toml; undefined if the fleet file has all its addresses. */
    tomlUrlOf(anchorId: string): string | undefined {
      const homeDomain = members.get(anchorId)?.homeDomain;
      return homeDomain === undefined ? undefined : tomlUrl(homeDomain);
    },
    /** Whether this stellar.toml of the anchor can be read. */
    isReadableToml(anchorId: string, body: Uint8Array): boolean {
      const readOver = members.get(anchorId)?.homeDomain?.startsWith('http:') ? 'http' : 'https';
      return !isRefused(readStellarToml(body, { readOver }));
    },
    /** Notes what cannot be read of an answer of the anchor: the member or the line. */
    noteUnreadable: unreadable.note,
    /** The addresses as they are known now, without a request. */
    knownEndpoints: (anchorId: string) => discovery.view(anchorId)?.endpoints ?? noEndpoints,
    /** The key (G…) that an anchor signs with, even a delisted one; null if none is known. */
    signingKeyOf: async (anchorId: string) =>
      members.has(anchorId) ? keys.keyOf(anchorId) : store.signingKeyOf(anchorId),
    /** Whether transactions of the anchor can be polled, since it granted a token. */
    isPollable: (anchorId: string) => partnerTokens.hasToken(members.get(anchorId)),
    /** The partner token for this address, or undefined: it is sent only to the origin that it was granted for. */
    tokenFor: (anchorId: string, url: string) => partnerTokens.tokenFor(members.get(anchorId), url),
    listCorridors(page: PageRequest): CorridorPage {
      const list = ['corridors'];
      const [afterId] = readCursor(page.cursor, list, [idPattern]) ?? [];
      const limit = readLimit(page.limit);
      const rest = fleet.corridors
        .filter(({ id }) => afterId === undefined || id > afterId)
        .slice(0, limit + 1);
      const serving = servingAnchors();
      return toPage(
        rest.map((corridor) => toCorridorAnswer(corridor, serving)),
        limit,
        list,
        (last) => [last.id],
      );
    },
    /** Throws UNSUPPORTED_PAIR. */
    async listAnchors({
      corridor,
      ...page
    }: PageRequest & { corridor?: string | undefined }): Promise<AnchorPage> {
      if (corridor !== undefined && !corridors.has(corridor))
        throw unsupportedPair('query.corridor', 'is not a corridor that is served');
      const list = ['anchors', corridor ?? '*'];
      const [afterId] = readCursor(page.cursor, list, [idPattern]) ?? [];
      const limit = readLimit(page.limit);
      const anchors = await store.page({ corridor, afterId, limit });
      return toPage(anchors.map(toAnchorSummary), limit, list, (last) => [last.id]);
    },
    /** Whether this anchor is or ever was in the fleet. */
    isKnownAnchor: async (id: string) => members.has(id) || (await store.find(id)) !== null,
    /** Throws UNKNOWN_ANCHOR. */
    async getAnchor(id: string): Promise<Omit<AnchorAnswer, 'contradictedPayments'>> {
      const anchor = await store.find(id);
      if (anchor === null) throw new ApiError('UNKNOWN_ANCHOR', `No anchor ${id} was ever in the fleet.`);
      const view = anchor.listed ? discovery.view(id) : undefined;
      const answer = toAnchorAnswer(anchor, view, (corridorId) => corridors.get(corridorId));
      return { ...answer, unreadable: unreadable.of(id) };
    },
  };
}
