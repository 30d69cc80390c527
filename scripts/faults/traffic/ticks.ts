import { type Course, repeatedly } from './course.js';

/** What an external scheduler does beside that of the instances: it calls the internal endpoints, and an admin drops caches. */
export async function tick(course: Course, signal: AbortSignal): Promise<void> {
  const { clients, settings } = course;
  const { everyMs } = settings;
  const calls = [
    [everyMs.refresh, () => clients.operator().reputation.refreshReputation()],
    [everyMs.tick, () => clients.operator().publisher.tickPublisher()],
    [everyMs.reconcile, () => clients.operator().reconcile.reconcile()],
    [everyMs.invalidate, () => clients.operator().adminCache.invalidateCache()],
  ] as const;
  await Promise.all(
    calls.map(([every, call]) =>
      // One that got no answer, or 409 because another run is under way, is done by the next.
      repeatedly(course, every, signal, () => call().catch(() => undefined)),
    ),
  );
}
