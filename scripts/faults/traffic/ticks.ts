import { repeatedly, type TrafficContext } from './context.js';

/** Acts as an external scheduler besides the instances' own: calls internal endpoints, and invalidates caches as admin. */
export async function tick(context: TrafficContext, signal: AbortSignal): Promise<void> {
  const { clients, settings } = context;
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
      repeatedly(context, every, signal, () => call().catch(() => undefined)),
    ),
  );
}
