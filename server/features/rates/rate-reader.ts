import type { EventFrame } from '../../streams/events.rules.js';
import type { EventWriter, StreamFeed } from '../../streams/ports.js';

/** A reader of a stream of rates. It is sent the newest answer when it is free, and none twice in a row. */
export interface RateReader extends StreamFeed {
  /** Who pays for the calls that its amount causes. */
  client: string;
  offer(frame: EventFrame): void;
  end(): void;
}

export function createRateReader(deps: {
  client: string;
  writer: EventWriter;
  /** The name of the last answer that it has; it may be of any age. */
  lastSeen: string | undefined;
  /** Offers the newest. */
  onFree: () => void;
  onClose: () => void;
  /** Called for every answer that it missed because it was not free. */
  onSkipped: () => void;
}): RateReader {
  const { writer, onSkipped } = deps;
  let sent = deps.lastSeen;
  let waiting: string | undefined;
  let isEnding = false;

  const reader: RateReader = {
    client: deps.client,
    offer({ name, bytes }) {
      if (name === sent) {
        waiting = undefined;
        return;
      }
      if (!writer.isFree()) {
        if (waiting !== undefined && waiting !== name) onSkipped();
        waiting = name;
        return;
      }
      waiting = undefined;
      sent = name;
      writer.write(bytes);
    },
    end() {
      isEnding = true;
      if (writer.isFree()) writer.end();
    },
    onFree() {
      deps.onFree();
      // The last it is sent, if it was not free before, goes out first.
      if (isEnding && writer.isFree()) writer.end();
    },
    onClose: deps.onClose,
  };
  return reader;
}
