import { initContract } from '@ts-rest/core';
import { adminCacheContract } from './admin-cache.js';
import { anchorsContract } from './anchors.js';
import { corridorsContract } from './corridors.js';
import { ratesContract } from './rates.js';
import { snapshotContract } from './snapshot.js';

const c = initContract();

/**
 * Every endpoint of the service. Order matters where a fixed path and a template meet: the fixed one comes first.
 */
export const contract = c.router(
  {
    rates: ratesContract,
    corridors: corridorsContract,
    anchors: anchorsContract,
    snapshot: snapshotContract,
    adminCache: adminCacheContract,
  },
  { strictStatusCodes: true },
);

export * from './admin-cache.js';
export * from './anchors.js';
export * from './corridors.js';
export * from './errors.js';
export * from './events.js';
export * from './primitives.js';
export * from './rate-limits.js';
export * from './rates.js';
export * from './route-metadata.js';
export * from './snapshot.js';
