import { ApiError } from '../errors.js';
import type { EventStream } from './event-stream.js';

/** Why a stream was not opened, or `displaced`: ended in favour of one of another client. */
export const refusals = ['client_full', 'all_full', 'displaced'] as const;

export interface StreamMeter {
  opened(): void;
  closed(): void;
  refused(why: (typeof refusals)[number]): void;
}

/** After this time, a reader that was refused may try again. */
const retryAfter = 10;

/** Bounds the streams that are open at once: of one client, and of all. */
export function createPlaces(deps: { max: number; maxPerClient: number; meter: StreamMeter }) {
  const { max, maxPerClient, meter } = deps;
  const held = new Map<string, Set<EventStream>>();
  const all = () => [...held.values()].flatMap((streams) => [...streams]);
  let taken = 0;

  function give(stream: EventStream): void {
    const streams = held.get(stream.client);
    if (!streams?.delete(stream)) return;
    taken -= 1;
    if (streams.size === 0) held.delete(stream.client);
    meter.closed();
  }

  /** Ends the oldest stream of the client that holds most. False where none holds two more than a client with `own`. */
  function displace(own: number): boolean {
    let most = new Set<EventStream>();
    for (const streams of held.values()) if (streams.size > most.size) most = streams;
    const [oldest] = most;
    if (oldest === undefined || most.size < own + 2) return false;
    meter.refused('displaced');
    give(oldest);
    oldest.end();
    return true;
  }

  return {
    /** Throws RATE_LIMITED if the client holds as many as it may, NOT_READY if all places are taken and evenly shared. */
    makeRoomFor(client: string): void {
      const own = held.get(client)?.size ?? 0;
      if (own >= maxPerClient) {
        meter.refused('client_full');
        const message = `This client holds ${own} streams, as many as it may; close one, or try again later.`;
        throw new ApiError('RATE_LIMITED', message, { retryAfter });
      }
      if (taken < max || displace(own)) return;
      meter.refused('all_full');
      throw new ApiError('NOT_READY', 'This instance holds as many streams as it can.', { retryAfter });
    },
    take(stream: EventStream): void {
      held.set(stream.client, (held.get(stream.client) ?? new Set()).add(stream));
      taken += 1;
      meter.opened();
      stream.onClose(() => give(stream));
    },
    all,
  };
}
