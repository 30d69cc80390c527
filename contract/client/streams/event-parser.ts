/** An event of an event stream as it arrived. */
export interface RawEvent {
  /** `message` where the stream names none. */
  event: string;
  data: string;
}

/** Parses an event stream, and holds what it said so far beside its events. */
export interface EventParser {
  /** How long to wait before reconnecting; undefined where the stream did not say. */
  readonly retryMs: number | undefined;
  /** Whether an event or a comment has arrived. */
  readonly isAlive: boolean;
  /** Characters that are stored of an unfinished line or event. */
  readonly pendingChars: number;
  /** The events that end in this piece of the stream, which may be cut anywhere between characters. */
  parse(text: string): RawEvent[];
}

/**
 * Interprets one event stream as the HTML standard defines it (§9.2.6, "Interpreting an event stream"); its decoder removes
 * the byte order mark. An event that has no end when the stream ends is discarded, and so are ids, which no stream here has.
 */
export function createEventParser(): EventParser {
  let rest = '';
  let endedWithCr = false;
  let event = '';
  let data = '';

  const parser = {
    retryMs: undefined as number | undefined,
    isAlive: false,
    get pendingChars() {
      return rest.length + data.length;
    },
    parse(text: string): RawEvent[] {
      if (text === '') return [];
      const events: RawEvent[] = [];
      // A CR ends its line at once, so an LF that follows in the next piece belongs to it.
      const lines = (rest + text.slice(endedWithCr && text[0] === '\n' ? 1 : 0)).split(/\r\n|\r|\n/);
      endedWithCr = text.endsWith('\r');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line !== '') readLine(line);
        else {
          if (data !== '') events.push({ event: event || 'message', data: data.slice(0, -1) });
          parser.isAlive ||= data !== '';
          event = data = '';
        }
      }
      return events;
    },
  };

  function readLine(line: string): void {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    else if (field === 'data') data += `${value}\n`;
    else if (field === 'retry' && /^\d+$/.test(value)) parser.retryMs = Number(value);
    else if (field === '') parser.isAlive = true;
  }

  return parser;
}
