import { startReferenceOracle } from '../../reference-oracle/index.js';

/** The reference oracle in a process of its own, so that what it hashes is not counted as the publisher's. */
const oracle = await startReferenceOracle({ clock: Date.now });
process.send?.(oracle.url);
process.once('SIGTERM', () => {
  oracle.stop().then(() => process.exit(0));
});
