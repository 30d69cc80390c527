import type { ClientSession } from 'mongoose';
import type { Emit } from '../../deliveries/deliveries.js';
import { isDuplicateKey } from '../../mongo/failures.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Clock, Logger } from '../../ports.js';
import type { Fleet, FleetAnchor } from './fleet.rules.js';
import type { AnchorModel, AnchorRecord } from './store.js';

interface SyncDeps {
  model: AnchorModel;
  fleet: Fleet;
  clock: Clock;
  logger: Logger;
  writeEvent: Emit;
  inTransaction: InTransaction;
}

const maxTries = 3;

/**
 * Brings the fleet file into MongoDB: new anchors with their `anchor.onboarded` event in one transaction, known ones
 * updated, those no longer listed marked delisted. Idempotent, also among instances that start together.
 */
export async function syncFleet(deps: SyncDeps): Promise<AnchorRecord[]> {
  const ids = deps.fleet.anchors.map((anchor) => anchor.id);
  const known = new Set((await deps.model.find({}, { _id: 1 }).lean()).map((row) => row._id));
  for (const anchor of deps.fleet.anchors) {
    if (!known.has(anchor.id)) await onboard(deps, anchor);
  }
  await deps.model.bulkWrite(
    deps.fleet.anchors.flatMap((anchor) => [
      // Addresses read from one domain say nothing of another.
      {
        updateOne: {
          filter: { _id: anchor.id, homeDomain: { $ne: anchor.homeDomain ?? null } },
          update: { $set: { endpoints: null, discoveredAt: null } },
        },
      },
      {
        updateOne: {
          filter: { _id: anchor.id },
          update: { $set: { ...listing(anchor), listed: true, delistedAt: null } },
        },
      },
    ]),
  );
  const delisted = await deps.model.updateMany(
    { listed: true, _id: { $nin: ids } },
    { $set: { listed: false, delistedAt: new Date(deps.clock()) } },
  );
  if (delisted.modifiedCount > 0) deps.logger.info({ count: delisted.modifiedCount }, 'anchors delisted');
  return deps.model.find({ _id: { $in: ids } }).lean<AnchorRecord[]>();
}

/** E11000 aborts the transaction; the next try finds what another instance inserted meanwhile. */
async function onboard(deps: SyncDeps, anchor: Fleet['anchors'][number]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const isNew = await deps.inTransaction((session) => insertIfNew(deps, anchor, session));
      if (isNew) deps.logger.info({ anchorId: anchor.id }, 'anchor onboarded');
      return;
    } catch (error) {
      if (!isDuplicateKey(error) || attempt >= maxTries) throw error;
    }
  }
}

async function insertIfNew(
  deps: SyncDeps,
  anchor: Fleet['anchors'][number],
  session: ClientSession,
): Promise<boolean> {
  const found = await deps.model.findById(anchor.id, { _id: 1 }, { session }).lean();
  if (found !== null) return false;
  const record: AnchorRecord = {
    _id: anchor.id,
    ...listing(anchor),
    listed: true,
    onboardedAt: new Date(deps.clock()),
    delistedAt: null,
    signingKey: anchor.endpoints?.signingKey ?? null,
    refusedKey: null,
    endpoints: null,
    discoveredAt: null,
  };
  await deps.model.create([record], { session });
  await deps.writeEvent(session, 'anchor.onboarded', {
    anchorId: anchor.id,
    name: anchor.name,
    corridors: record.corridors.map(({ corridor }) => corridor),
    simulated: anchor.simulated,
  });
  return true;
}

/** What the fleet file says of an anchor, and may say anew at every start. */
function listing(anchor: FleetAnchor & { simulated: boolean }) {
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
