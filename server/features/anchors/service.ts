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
import type { PauseBeforeTry } from '../../mongo/refused-writes.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Outbound } from '../../outbound/outbound.js';
import { UpstreamFault } from '../../outbound/upstream-fault.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import type { Clock, Logger, Random } from '../../ports.js';
import type { Emit } from '../../webhooks/outbox.js';
import type { CacheEpoch } from '../cache/epoch.js';
import { toAnchorAnswer, toAnchorSummary, toCorridorAnswer } from './anchor-answer.rules.js';
import { createDiscovery } from './discovery.js';
import type { Corridor, Fleet } from './fleet-file.rules.js';
import { syncFleet } from './fleet-sync.js';
import { createFleetWarnings } from './fleet-warnings.js';
import { createPartnerTokens } from './partner-tokens.js';
import { createSigningKeys } from './signing-keys.js';
import type { AnchorStore } from './store.js';
import { createUnreadableAnswers, type UnreadableAnswers } from './unreadable-answers.js';

const idPattern = /^[a-z0-9-]{1,40}$/;
const concurrentReadings = 16;

type FleetMember = Fleet['anchors'][number];

export interface PageRequest {
  limit?: string | undefined;
  cursor?: string | undefined;
}

/** The anchors of the fleet, their addresses, and what is known of them. */
export interface AnchorDirectory {
  /** Brings the fleet file into MongoDB and loads what is known; call it before serving. */
  sync(): Promise<void>;
  /**
   * Reads every stellar.toml whose last reading is no longer fresh. This also lets refused anchors, which nobody asks
   * for rates, show their first key again.
   */
  discoverDue(): Promise<void>;
  /** Waits until everything that was read is stored. */
  stop(): Promise<void>;
  corridor(id: string): Corridor | undefined;
  /** Ordered by id. */
  corridors(): readonly Corridor[];
  /** The anchors that serve a corridor now, by id; refused ones are left out. */
  anchorsOf(corridorId: string): readonly FleetMember[];
  /** Grows whenever an anchor begins or ceases to be refused, which makes quotes void. */
  servingVersion(): number;
  /** Every anchor of the fleet file, by id. */
  anchors(): Fleet['anchors'];
  /** An anchor of the fleet that is not refused. */
  anchor(id: string): FleetMember | undefined;
  /** Throws UpstreamFault while the addresses cannot be read. */
  endpointsOf(anchorId: string): Promise<AnchorEndpoints>;
  /** The URL of an anchor's stellar.toml; undefined if the fleet file has all its addresses. */
  tomlUrlOf(anchorId: string): string | undefined;
  /** Whether this stellar.toml of the anchor can be read. */
  isReadableToml(anchorId: string, body: Uint8Array): boolean;
  /** Notes what cannot be read of an answer of the anchor: the member or the line. */
  noteUnreadable: UnreadableAnswers['note'];
  /** The addresses as they are known now, without a request. */
  knownEndpoints(anchorId: string): AnchorEndpoints;
  /** The key (G…) that an anchor signs with, even a delisted one; null if none is known. */
  signingKeyOf(anchorId: string): Promise<string | null>;
  /** Whether transactions of the anchor can be polled, since it granted a token. */
  isPollable(anchorId: string): boolean;
  /** The partner token for this address, or undefined: it is sent only to the origin that it was granted for. */
  tokenFor(anchorId: string, url: string): string | undefined;
  listCorridors(page: PageRequest): CorridorPage;
  /** Whether this anchor is or ever was in the fleet. */
  isKnownAnchor(id: string): Promise<boolean>;
  /** Throws UNSUPPORTED_PAIR. */
  listAnchors(request: PageRequest & { corridor?: string | undefined }): Promise<AnchorPage>;
  /** Throws UNKNOWN_ANCHOR. */
  getAnchor(id: string): Promise<Omit<AnchorAnswer, 'contradictedPayments'>>;
}

export interface AnchorDirectoryDeps {
  store: AnchorStore;
  fleet: Fleet;
  outbound: Outbound;
  cacheEpoch: Pick<CacheEpoch, 'emptied' | 'onEmptied'>;
  clock: Clock;
  pauseBeforeTry: PauseBeforeTry;
  random: Random;
  logger: Logger;
  /** The environment variables, which hold the partner tokens under the names that the fleet file gives. */
  env: Readonly<Record<string, string | undefined>>;
  /** Whether an FX reference is configured, for anchors that can only be estimated. */
  hasFx: boolean;
  writeEvent: Emit;
  inTransaction: InTransaction;
}

export function createAnchorDirectory(deps: AnchorDirectoryDeps): AnchorDirectory {
  const { store, fleet, clock, logger, cacheEpoch } = deps;
  const corridors = new Map(fleet.corridors.map((corridor) => [corridor.id, corridor]));
  const members = new Map(fleet.anchors.map((anchor) => [anchor.id, anchor]));
  const homeDomainOf = (id: string) => members.get(id)?.homeDomain ?? null;
  const adoptKey = (id: string, key: string) => store.adoptSigningKey(id, key, homeDomainOf(id));
  const keys = createSigningKeys({ adoptKey, logger });
  const partnerTokens = createPartnerTokens(deps);
  const warnings = createFleetWarnings(deps);
  const unreadable = createUnreadableAnswers(deps);
  const underWay = new Set<Promise<unknown>>();

  const discovery = createDiscovery({
    ...deps,
    version: cacheEpoch.emptied,
    onUnreadable: (anchorId, what) => unreadable.note(anchorId, 'stellar.toml', what),
    onRead: (anchorId, read, cacheVersion) => {
      track(keep(anchorId, read, cacheVersion));
      reportEndpoints(anchorId, read);
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

  async function keep(anchorId: string, endpoints: AnchorEndpoints, cacheVersion: number): Promise<void> {
    const shownKey = members.get(anchorId)?.endpoints?.signingKey ?? endpoints.signingKey;
    const refusedKey = await keys.judge(anchorId, shownKey);
    const reading = { homeDomain: homeDomainOf(anchorId), cacheVersion, endpoints, refusedKey };
    await store.keepReading(anchorId, reading, new Date(clock()));
  }

  function reportEndpoints(anchorId: string, read: AnchorEndpoints): void {
    warnings.reportEndpoints(anchorId, discovery.withOverrides(anchorId, read));
  }

  function servingAnchors(): FleetMember[] {
    return fleet.anchors.filter((anchor) => !keys.isRefused(anchor.id));
  }

  return {
    async sync() {
      const anchors = await syncFleet(deps);
      keys.load(anchors);
      for (const { _id, endpoints, discoveredAt, cacheVersion = 0 } of anchors) {
        if (endpoints !== null && discoveredAt !== null)
          discovery.seed(_id, endpoints, discoveredAt.getTime(), cacheVersion);
      }
      const stored = new Map(anchors.map((anchor) => [anchor._id, anchor]));
      for (const { id, endpoints } of fleet.anchors) {
        const known = stored.get(id);
        // The addresses may have been stored although storing the decision about their key failed.
        const shown = keys.isRefused(id) ? null : (known?.endpoints?.signingKey ?? null);
        const refused = await keys.judge(id, endpoints?.signingKey ?? shown);
        if (refused !== undefined && refused !== known?.refusedKey) await store.setRefusedKey(id, refused);
      }
      partnerTokens.reportMissing(fleet.anchors);
      warnings.reportFile(fleet.anchors);
      for (const { id } of fleet.anchors) {
        const known = discovery.view(id);
        if (known !== undefined && known.state !== 'pending') warnings.reportEndpoints(id, known.endpoints);
      }
    },
    async discoverDue() {
      const readings = pLimit(concurrentReadings);
      // A failure is logged where it happens, and stellar.toml is read again at the next request for the anchor.
      const read = (id: string) => readings(() => discovery.endpointsOf(id)).catch(() => undefined);
      await Promise.all(fleet.anchors.map(({ id }) => read(id)));
    },
    async stop() {
      await Promise.all(underWay);
    },
    corridor: (id) => corridors.get(id),
    corridors: () => fleet.corridors,
    anchorsOf: (corridorId) =>
      servingAnchors().filter((anchor) => anchor.corridors.some(({ id }) => id === corridorId)),
    servingVersion: keys.refusalChanges,
    anchors: () => fleet.anchors,
    anchor: (id) => (keys.isRefused(id) ? undefined : members.get(id)),
    async endpointsOf(anchorId) {
      const endpoints = await discovery.endpointsOf(anchorId);
      // This reading may have revealed another signing key.
      if (keys.isRefused(anchorId))
        throw new UpstreamFault('not_served', 'the anchor shows another signing key');
      return endpoints;
    },
    tomlUrlOf(anchorId) {
      const homeDomain = members.get(anchorId)?.homeDomain;
      return homeDomain === undefined ? undefined : tomlUrl(homeDomain);
    },
    isReadableToml(anchorId, body) {
      const readOver = members.get(anchorId)?.homeDomain?.startsWith('http:') ? 'http' : 'https';
      return !isRefused(readStellarToml(body, { readOver }));
    },
    noteUnreadable: unreadable.note,
    knownEndpoints: (anchorId) => discovery.view(anchorId)?.endpoints ?? noEndpoints,
    async signingKeyOf(anchorId) {
      if (members.has(anchorId)) return keys.keyOf(anchorId);
      return store.signingKeyOf(anchorId);
    },
    isPollable: (anchorId) => partnerTokens.hasToken(members.get(anchorId)),
    tokenFor: (anchorId, url) => partnerTokens.tokenFor(members.get(anchorId), url),
    listCorridors(page) {
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
    async listAnchors({ corridor, ...page }) {
      if (corridor !== undefined && !corridors.has(corridor))
        throw unsupportedPair('query.corridor', 'is not a corridor that is served');
      const list = ['anchors', corridor ?? '*'];
      const [afterId] = readCursor(page.cursor, list, [idPattern]) ?? [];
      const limit = readLimit(page.limit);
      const anchors = await store.page({ corridor, afterId, limit });
      return toPage(anchors.map(toAnchorSummary), limit, list, (last) => [last.id]);
    },
    isKnownAnchor: async (id) => members.has(id) || (await store.find(id)) !== null,
    async getAnchor(id) {
      const anchor = await store.find(id);
      if (anchor === null) throw new ApiError('UNKNOWN_ANCHOR', `No anchor ${id} was ever in the fleet.`);
      const view = anchor.listed ? discovery.view(id) : undefined;
      const answer = toAnchorAnswer(anchor, view, (corridorId) => corridors.get(corridorId));
      return { ...answer, unreadable: unreadable.of(id) };
    },
  };
}
