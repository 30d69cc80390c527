import { isDuplicateKey } from '../../mongo/failures.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Clock, Logger } from '../../ports.js';
import type { Emit } from '../../webhooks/outbox.js';
import type { Fleet } from './fleet-file.rules.js';
import type { AnchorDocument, AnchorListing, AnchorStore } from './store.js';

interface SyncDeps {
  store: AnchorStore;
  fleet: Fleet;
  clock: Clock;
  logger: Logger;
  writeEvent: Emit;
  inTransaction: InTransaction;
}

/**
 * Brings the fleet file into MongoDB: new anchors with their `anchor.onboarded` event in one transaction, known ones
 * updated, those no longer listed marked delisted. Idempotent, also among instances that start together.
 */
export async function syncFleet(deps: SyncDeps): Promise<AnchorDocument[]> {
  const { store, fleet, logger } = deps;
  const ids = fleet.anchors.map((anchor) => anchor.id);
  const known = new Set((await store.findMany(ids)).map(({ _id }) => _id));
  for (const anchor of fleet.anchors) if (!known.has(anchor.id)) await onboard(deps, anchor);
  await store.list(fleet.anchors.map((anchor) => ({ id: anchor.id, ...toListing(anchor) })));
  const delisted = await store.delistOthers(ids, new Date(deps.clock()));
  if (delisted > 0) logger.info({ count: delisted }, 'anchors delisted');
  return store.findMany(ids);
}

/** A duplicate id is of another instance, which starts at the same time and announces the anchor. */
async function onboard(deps: SyncDeps, anchor: Fleet['anchors'][number]): Promise<void> {
  const { id, name, simulated } = anchor;
  const document: AnchorDocument = {
    _id: id,
    ...toListing(anchor),
    listed: true,
    onboardedAt: new Date(deps.clock()),
    delistedAt: null,
    signingKey: anchor.endpoints?.signingKey ?? null,
    refusedKey: null,
  };
  const corridors = document.corridors.map(({ corridor }) => corridor);
  try {
    await deps.inTransaction(async (session) => {
      await deps.store.insert(document, session);
      await deps.writeEvent(session, 'anchor.onboarded', { anchorId: id, name, corridors, simulated });
    });
    deps.logger.info({ anchorId: id }, 'anchor onboarded');
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

function toListing(anchor: Fleet['anchors'][number]): AnchorListing {
  return {
    name: anchor.name,
    note: anchor.note ?? null,
    simulated: anchor.simulated,
    homeDomain: anchor.homeDomain ?? null,
    corridors: anchor.corridors
      .map(({ id, deliveryMethods }) => ({ corridor: id, deliveryMethods }))
      .sort((a, b) => (a.corridor < b.corridor ? -1 : 1)),
  };
}
