import { startReferenceOracle } from '../../reference-oracle/index.js';

/** The reference oracle in its own process, so that its hashing is not counted as the publisher's. */
const oracle = await startReferenceOracle({ clock: Date.now });
process.send?.(oracle.url);
