import type { Connection } from 'mongoose';
import pLimit from 'p-limit';
import type { AnchorAnswer, AnchorPage } from '../../../contract/schemas/anchors.js';
import type { CorridorPage } from '../../../contract/schemas/corridors.js';
import type { Emit } from '../../deliveries/deliveries.js';
import { ApiError } from '../../errors.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Outbound } from '../../outbound/outbound.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import type { Clock, Logger, Random } from '../../ports.js';
import { UpstreamFault } from '../../upstream/upstream-fault.js';
import type { Epochs } from '../cache/epochs.js';
import { toAnchorAnswer, toAnchorSummary, toCorridorAnswer } from './anchor-answer.rules.js';
import { createDiscovery } from './discovery.js';
import type { Corridor, Fleet } from './fleet.rules.js';
import { syncFleet } from './fleet-sync.js';
import type { AnchorEndpoints } from './sep1.rules.js';
import { createSigningKeys } from './signing-keys.js';
import { anchorModel, findAnchors } from './store.js';

const idPattern = /^[a-z0-9-]{1,40}$/;
const warmUpConcurrency = 16;
/** As long as a reading is fresh; refused anchors, which nobody asks for rates, get their second chance by it. */
const rereadMs = 10 * 60_000;

type FleetMember = Fleet['anchors'][number];

export interface PageRequest {
  limit?: string | undefined;
  cursor?: string | undefined;
}

/** Who is in the fleet, where they are reached and what is known of them. */
export interface AnchorDirectory {
  /** Brings the fleet file into MongoDB and loads what is known; call it before serving. */
  sync(): Promise<void>;
  /** Reads every stellar.toml in the background, now and then again. */
  start(): void;
  /** Waits for what is under way. */
  stop(): Promise<void>;
  corridor(id: string): Corridor | undefined;
  /** Ordered by id. */
  corridors(): readonly Corridor[];
  /** The anchors that serve a corridor now, by id; refused ones are left out. */
  anchorsOf(corridorId: string): readonly FleetMember[];
  /** An anchor of the fleet that is not refused. */
  anchor(id: string): FleetMember | undefined;
  /** Throws UpstreamFault while the addresses cannot be had. */
  endpointsOf(anchorId: string): Promise<AnchorEndpoints>;
  /** The key (G…) it signs with, of delisted anchors too; null where none is known. */
  signingKeyOf(anchorId: string): Promise<string | null>;
  /** The partner token for this very address, or undefined: it goes to the origin it was granted for alone. */
  tokenFor(anchorId: string, url: string): string | undefined;
  listCorridors(page: PageRequest): CorridorPage;
  listAnchors(request: PageRequest & { corridor?: string | undefined }): Promise<AnchorPage>;
  /** Throws UNKNOWN_ANCHOR. */
  getAnchor(id: string): Promise<AnchorAnswer>;
}

export interface AnchorDirectoryDeps {
  connection: Connection;
  fleet: Fleet;
  outbound: Outbound;
  epochs: Pick<Epochs, 'read' | 'onInvalidate'>;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** Where the partner tokens are, by the names the fleet file gives. */
  env: Readonly<Record<string, string | undefined>>;
  writeEvent: Emit;
  inTransaction: InTransaction;
}

export function createAnchorDirectory(deps: AnchorDirectoryDeps): AnchorDirectory {
  const { fleet, clock, logger, epochs } = deps;
  const model = anchorModel(deps.connection);
  const corridors = new Map(fleet.corridors.map((corridor) => [corridor.id, corridor]));
  const members = new Map(fleet.anchors.map((anchor) => [anchor.id, anchor]));
  const keys = createSigningKeys({ model, logger });
  const underWay = new Set<Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;

  const discovery = createDiscovery({
    ...deps,
    epoch: (corridorIds) => epochs.read('anchors', corridorIds),
    onRead: (anchorId, read) => track(keep(anchorId, read)),
  });
  epochs.onInvalidate((scope, corridor) =>
    scope === 'all' || scope === 'anchors' ? discovery.drop(corridor) : 0,
  );

  /** Work nobody waits for, until `stop`. */
  function track(work: Promise<unknown>): void {
    const settled = work.catch((error: unknown) => {
      logger.warn({ err: error }, 'what was read of an anchor could not be kept');
    });
    underWay.add(settled);
    settled.finally(() => underWay.delete(settled));
  }

  async function keep(anchorId: string, read: AnchorEndpoints): Promise<void> {
    await keys.judge(anchorId, members.get(anchorId)?.endpoints?.signingKey ?? read.signingKey);
    await model.updateOne({ _id: anchorId }, { $set: { endpoints: read, discoveredAt: new Date(clock()) } });
  }

  function readAll(): void {
    const limit = pLimit(warmUpConcurrency);
    for (const { id } of fleet.anchors) {
      // A failure is logged where it happens and tried again when the anchor is asked.
      track(limit(() => discovery.endpointsOf(id).catch(() => undefined)));
    }
  }

  function servingAnchors(): FleetMember[] {
    return fleet.anchors.filter((anchor) => !keys.isRefused(anchor.id));
  }

  return {
    async sync() {
      const records = await syncFleet({ ...deps, model });
      keys.load(records);
      for (const { _id, endpoints, discoveredAt } of records) {
        if (endpoints !== null && discoveredAt !== null)
          discovery.seed(_id, endpoints, discoveredAt.getTime());
      }
      for (const { id, endpoints, partnerToken } of fleet.anchors) {
        await keys.judge(id, endpoints?.signingKey ?? null);
        if (partnerToken !== undefined && !deps.env[partnerToken.env]) {
          logger.warn(
            { anchorId: id, variable: partnerToken.env },
            'the partner token of an anchor is not set',
          );
        }
      }
    },
    start() {
      readAll();
      timer = setInterval(readAll, rereadMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
    },
    corridor: (id) => corridors.get(id),
    corridors: () => fleet.corridors,
    anchorsOf: (corridorId) =>
      servingAnchors().filter((anchor) => anchor.corridors.some(({ id }) => id === corridorId)),
    anchor: (id) => (keys.isRefused(id) ? undefined : members.get(id)),
    async endpointsOf(anchorId) {
      const endpoints = await discovery.endpointsOf(anchorId);
      // This very reading may have shown another key.
      if (keys.isRefused(anchorId))
        throw new UpstreamFault('not_served', 'the anchor shows another signing key');
      return endpoints;
    },
    async signingKeyOf(anchorId) {
      if (members.has(anchorId)) return keys.keyOf(anchorId);
      return (await model.findById(anchorId, { signingKey: 1 }).lean())?.signingKey ?? null;
    },
    tokenFor(anchorId, url) {
      const granted = members.get(anchorId)?.partnerToken;
      if (granted === undefined || !URL.canParse(url) || new URL(url).origin !== granted.origin)
        return undefined;
      return deps.env[granted.env] || undefined;
    },
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
      const list = ['anchors', corridor ?? '*'];
      const [afterId] = readCursor(page.cursor, list, [idPattern]) ?? [];
      const limit = readLimit(page.limit);
      const records = await findAnchors(model, { corridor, afterId, limit });
      return toPage(records.map(toAnchorSummary), limit, list, (last) => [last.id]);
    },
    async getAnchor(id) {
      const record = await model.findById(id).lean();
      if (record === null) throw new ApiError('UNKNOWN_ANCHOR', `No anchor ${id} was ever in the fleet.`);
      const view = record.listed ? discovery.view(id) : undefined;
      return toAnchorAnswer(record, view, (corridorId) => corridors.get(corridorId));
    },
  };
}
