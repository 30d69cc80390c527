import { createPublisherRouter } from './router.js';
import { createPublisher, type PublisherDeps } from './service.js';
import { publisherLease } from './tick.js';

/** To be seeded at boot. */
export const publisherLeases = [publisherLease] as const;

/** The signed log of score cards: its endpoints, the job that continues it, and what others ask of it. */
export function createPublisherFeature(
  deps: PublisherDeps & {
    /** Cache-Control: public instead of private. */
    publicCache: boolean;
  },
) {
  const publisher = createPublisher(deps);
  return {
    router: createPublisherRouter({ publisher, publicCache: deps.publicCache }),
    tick: publisher.tick,
    latestBatch: publisher.latestBatch,
    countPending: () => publisher.log.pending(),
  };
}
