import type { CallOptions } from '../client-options.js';

/** The options that every stream takes. */
export interface StreamOptions extends CallOptions {
  /** Ends the stream and its connection when it aborts; the loop over it throws the reason. */
  signal?: AbortSignal | undefined;
  /** Called on every change of the connection. What it throws is reported as uncaught. */
  onState?: ((state: StreamState) => void) | undefined;
  /** How long the stream waits for data, heartbeats included, before it reconnects; 45,000 when absent. */
  silenceMs?: number | undefined;
}

/** The state of the connection of a stream, distinguished by `state`. */
export type StreamState =
  | {
      /** A request is on its way. */
      state: 'connecting';
    }
  | {
      /** Connected: the last event is the present state. */
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

/** An event of a stream, distinguished by `event`, which says what `data` is. */
export interface StreamEvent<Name extends string, Data> {
  /** Which kind of event it is. */
  event: Name;
  /** The data of the event. */
  data: Data;
}
