import { isDuplicateKey } from '../../mongo/failures.js';
import type { PauseBeforeTry } from '../../mongo/refused-writes.js';
import type { ClientSession, InTransaction } from '../../mongo/transactions.js';
import type { Clock, Logger } from '../../ports.js';
import type { Emit } from '../../webhooks/outbox.js';
import type { Fleet, FleetAnchor } from './fleet-file.rules.js';
import type { AnchorDocument, AnchorListing, AnchorStore } from './store.js';

interface SyncDeps {
  store: AnchorStore;
  fleet: Fleet;
  clock: Clock;
  pauseBeforeTry: PauseBeforeTry;
  logger: Logger;
  writeEvent: Emit;
  inTransaction: InTransaction;
}

const maxRepeats = 2;

/**
 * Brings the fleet file into MongoDB: new anchors with their `anchor.onboarded` event in one transaction, known ones
 * updated, those no longer listed marked delisted. Idempotent, also among instances that start together.
 */
export async function syncFleet(deps: SyncDeps): Promise<AnchorDocument[]> {
  const { store, fleet, logger } = deps;
  const ids = fleet.anchors.map((anchor) => anchor.id);
  const known = await store.knownIds();
  for (const anchor of fleet.anchors) {
    if (!known.has(anchor.id)) await onboard(deps, anchor);
  }
  await store.list(fleet.anchors.map((anchor) => ({ id: anchor.id, ...toListing(anchor) })));
  const delisted = await store.delistOthers(ids, new Date(deps.clock()));
  if (delisted > 0) logger.info({ count: delisted }, 'anchors delisted');
  return store.findMany(ids);
}

/** A duplicate id aborts the transaction; the next try finds what another instance inserted meanwhile. */
async function onboard(deps: SyncDeps, anchor: Fleet['anchors'][number]): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    await deps.pauseBeforeTry(tries);
    try {
      const isNew = await deps.inTransaction((session) => insertIfNew(deps, anchor, session));
      if (isNew) deps.logger.info({ anchorId: anchor.id }, 'anchor onboarded');
      return;
    } catch (error) {
      if (!isDuplicateKey(error) || tries >= maxRepeats) throw error;
    }
  }
}

async function insertIfNew(
  deps: SyncDeps,
  anchor: Fleet['anchors'][number],
  session: ClientSession,
): Promise<boolean> {
  const document: AnchorDocument = {
    _id: anchor.id,
    ...toListing(anchor),
    listed: true,
    onboardedAt: new Date(deps.clock()),
    delistedAt: null,
    signingKey: anchor.endpoints?.signingKey ?? null,
    refusedKey: null,
    endpoints: null,
    discoveredAt: null,
  };
  if (!(await deps.store.insertIfNew(document, session))) return false;
  await deps.writeEvent(session, 'anchor.onboarded', {
    anchorId: anchor.id,
    name: anchor.name,
    corridors: document.corridors.map(({ corridor }) => corridor),
    simulated: anchor.simulated,
  });
  return true;
}

function toListing(anchor: FleetAnchor & { simulated: boolean }): AnchorListing {
  return {
    name: anchor.name,
    note: anchor.note ?? null,
    simulated: anchor.simulated,
    homeDomain: anchor.homeDomain ?? null,
    corridors: anchor.corridors
      .map(({ id, deliveryMethods }) => ({ corridor: id, deliveryMethods: [...deliveryMethods] }))
      .sort((a, b) => (a.corridor < b.corridor ? -1 : 1)),
  };
}
