import type { CallOptions } from '../answer.js';

/** What every stream takes beside what it asks for. */
export interface StreamOptions extends CallOptions {
  /** Ends the stream and its connection when it aborts; the loop over it throws the reason. */
  signal?: AbortSignal | undefined;
  /** The `id` of the last event that was seen before: the stream goes on after it. From the start when absent. */
  lastEventId?: string | undefined;
  /** Told of every change of the connection. What it throws is reported as uncaught. */
  onState?: ((state: StreamState) => void) | undefined;
  /** How long nothing may arrive, heartbeats included, before the stream connects anew; 45,000 when absent. */
  silenceMs?: number | undefined;
}

/** How it stands with the connection of a stream, told apart by `state`. */
export type StreamState =
  | {
      /** A request is on its way. */
      state: 'connecting';
    }
  | {
      /** Connected: what was told last is how things are. */
      state: 'live';
    }
  | {
      /** Not connected; another attempt follows. */
      state: 'waiting';
      /** When it follows, in milliseconds from now. */
      waitMs: number;
      /**
       * A FairleadError where the service refuses for the moment (`RATE_LIMITED`, `NOT_READY`), what `fetch` threw where
       * there is no connection, a `TimeoutError` where nothing arrived, and undefined where the service ended the stream.
       */
      cause: unknown;
    };

/** An event of a stream: told apart by `event`, which says what `data` is. */
export interface StreamEvent<Name extends string, Data> {
  /** Which kind of event it is. */
  event: Name;
  /** What it tells. */
  data: Data;
  /** To go on after this event, as `lastEventId`. */
  id: string;
}
