import { validateHeaderValue } from 'node:http';
import pLimit from 'p-limit';
import {
  type AnchorEndpoints,
  noEndpoints,
  tomlUrl,
} from '../../../contract/anchor-documents/stellar-toml.js';
import { parseUrl } from '../../../contract/anchor-documents/values.js';
import type { AnchorAnswer, AnchorDocumentKind, AnchorPage } from '../../../contract/schemas/anchors.js';
import { ApiError, unsupportedPair } from '../../errors.js';
import { isDuplicateKey } from '../../mongo/failures.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Outbound } from '../../outbound/outbound.js';
import { UpstreamFault } from '../../outbound/upstream-fault.js';
import { type PageQuery, readCursor, readLimit, toPage } from '../../paging.js';
import { type Clock, type Logger, type Random, toInstant } from '../../ports.js';
import type { Emit } from '../../webhooks/outbox.js';
import type { CacheEpoch } from '../cache/feature.js';
import { toAnchorAnswer, toAnchorSummary } from './anchor-answer.rules.js';
import { createDiscovery } from './discovery.js';
import type { Fleet, FleetAnchor } from './fleet-file.rules.js';
import { createSigningKeys } from './signing-keys.js';
import type { AnchorStore } from './store.js';

/** Of anchors and of corridors, in cursors. */
export const idPattern = /^[a-z0-9-]{1,40}$/;
const concurrentReadings = 16;

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
  const tokens = readPartnerTokens(deps);
  /** By anchor, the latest document of each kind that could not be read. */
  const unreadable = new Map<string, AnchorAnswer['unreadable']>();
  const underWay = new Set<Promise<unknown>>();

  const discovery = createDiscovery({
    ...deps,
    onUnreadable: (anchorId, what) => noteUnreadable(anchorId, 'stellar.toml', what),
    onRead: (anchorId, read) => track(judge(anchorId, read.signingKey)),
  });
  cacheEpoch.onEmptied(() => discovery.clear());

  /** `what` names the member or the line. It is logged when it changes, and shown, so that the anchor can correct it. */
  function noteUnreadable(anchorId: string, document: AnchorDocumentKind, what: string): void {
    const known = unreadable.get(anchorId) ?? [];
    if (!known.some((each) => each.document === document && each.what === what))
      logger.warn({ anchorId, document, what }, 'what the anchor wrote cannot be read');
    const others = known.filter((each) => each.document !== document);
    unreadable.set(anchorId, [...others, { document, what, at: toInstant(clock()) }]);
  }

  /** Registers background work, which only `stop` waits for. */
  function track(work: Promise<unknown>): void {
    const settled = work.catch((error: unknown) => {
      logger.warn({ err: error }, 'the signing key of an anchor could not be kept');
    });
    underWay.add(settled);
    settled.finally(() => underWay.delete(settled));
  }

  /** Checks the signing key that the fleet file names, or else the one that was read. */
  const judge = (anchorId: string, read: string | null) =>
    keys.judge(anchorId, members.get(anchorId)?.endpoints?.signingKey ?? read);

  /** A duplicate id is of another instance, which starts at the same time and announces the anchor. */
  async function onboard(anchor: FleetAnchor): Promise<void> {
    const { id, name, simulated, corridors } = anchor;
    const event = { anchorId: id, name, corridors: corridors.map((each) => each.id).sort(), simulated };
    try {
      await deps.inTransaction(async (session) => {
        await store.insert(anchor, new Date(clock()), session);
        await deps.writeEvent(session, 'anchor.onboarded', event);
      });
      logger.info({ anchorId: id }, 'anchor onboarded');
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  return {
    /**
     * Brings the fleet file into MongoDB, and loads what is known; call it before serving. New anchors are stored with
     * their `anchor.onboarded` event, known ones updated, those no longer listed marked as delisted.
     */
    async sync(): Promise<void> {
      const known = new Set((await store.findMany([...members.keys()])).map(({ _id }) => _id));
      for (const anchor of fleet.anchors) if (!known.has(anchor.id)) await onboard(anchor);
      await store.list(fleet.anchors);
      const delisted = await store.delistOthers([...members.keys()], new Date(clock()));
      if (delisted > 0) logger.info({ count: delisted }, 'anchors delisted');
      const anchors = await store.findMany([...members.keys()]);
      keys.load(anchors);
      await Promise.all(anchors.map(({ _id }) => judge(_id, null)));
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
    /** Waits until the signing keys that were read are stored. */
    async stop(): Promise<void> {
      await Promise.all(underWay);
    },
    corridor: (id: string) => corridors.get(id),
    /** Ordered by id. */
    corridors: () => fleet.corridors,
    /** The anchors that serve a corridor now, by id; refused ones are left out. */
    anchorsOf: (corridorId: string) =>
      fleet.anchors.filter(
        (anchor) => !keys.isRefused(anchor.id) && anchor.corridors.some(({ id }) => id === corridorId),
      ),
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
    noteUnreadable,
    /** The addresses as they are known now, without a request. */
    knownEndpoints: (anchorId: string) => discovery.view(anchorId)?.endpoints ?? noEndpoints,
    /** The key (G…) that an anchor signs with, even a delisted one; null if none is known. */
    signingKeyOf: async (anchorId: string) =>
      members.has(anchorId) ? keys.keyOf(anchorId) : store.signingKeyOf(anchorId),
    /** Whether transactions of the anchor can be polled, since it granted a token. */
    isPollable: (anchorId: string) => tokens.has(anchorId),
    /** The partner token for this address, or undefined: it is sent only to the origin that it was granted for. */
    tokenFor(anchorId: string, url: string): string | undefined {
      const granted = tokens.get(anchorId);
      return granted !== undefined && parseUrl(url)?.origin === granted.origin ? granted.token : undefined;
    },
    /** Every anchor that is or was in the fleet, by id. */
    everyAnchor: async () => (await store.findAll()).map(toAnchorSummary),
    /** Throws UNSUPPORTED_PAIR. */
    async listAnchors(page: PageQuery & { corridor?: string | undefined }): Promise<AnchorPage> {
      const { corridor } = page;
      if (corridor !== undefined && !corridors.has(corridor))
        throw unsupportedPair('query.corridor', 'is not a corridor that is served');
      const list = ['anchors', corridor ?? '*'];
      const [afterId = ''] = readCursor(page.cursor, list, [idPattern]) ?? [];
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
      return { ...answer, unreadable: unreadable.get(id) ?? [] };
    },
  };
}

/**
 * By anchor, the token that it gave the operator, and the one origin that it is sent to. Logs each variable that is not set,
 * or cannot be sent: the outbound connector takes an invalid header for a mistake of its caller, and fails every request.
 */
function readPartnerTokens({ fleet, env, logger }: Pick<AnchorDirectoryDeps, 'fleet' | 'env' | 'logger'>) {
  const tokens = new Map<string, { token: string; origin: string }>();
  for (const { id, partnerToken } of fleet.anchors) {
    if (partnerToken === undefined) continue;
    // What writes a secret to a file or a variable often leaves a line break at its end.
    const token = env[partnerToken.env]?.trim() ?? '';
    if (token !== '' && isSendable(token)) {
      tokens.set(id, { token, origin: partnerToken.origin });
      continue;
    }
    const why = token === '' ? 'is not set' : 'cannot be sent: it holds characters that no header may have';
    const about = { anchorId: id, variable: partnerToken.env };
    logger.warn(about, `the partner token of an anchor ${why}`);
  }
  return tokens;
}

function isSendable(token: string): boolean {
  try {
    validateHeaderValue('authorization', token);
    return true;
  } catch {
    return false;
  }
}
