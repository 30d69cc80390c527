import type { EventFrame } from '../../streams/events.rules.js';
import type { EventWriter, StreamFeed } from '../../streams/ports.js';

/** A reader of a stream of rates. It is sent the newest answer when its writer is free, and none twice in a row. */
export interface RateReader extends StreamFeed {
  /** The client that pays for the calls that its amount causes. */
  client: string;
  offer(frame: EventFrame): void;
  end(): void;
}

export function createRateReader(deps: {
  client: string;
  writer: EventWriter;
  /** The name of the last answer that the reader has, of any age. */
  lastSeen: string | undefined;
  /** Called when the writer is free again; offers the newest answer. */
  onFree: () => void;
  onClose: () => void;
  /** Called for every answer that the reader missed because its writer was not free. */
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
      // If the writer was not free before, the last frame is written first.
      if (isEnding && writer.isFree()) writer.end();
    },
    onClose: deps.onClose,
  };
  return reader;
}
