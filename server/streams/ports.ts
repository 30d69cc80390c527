/**
 * A stream to one reader, for whoever feeds it. It holds one chunk at most: nothing is queued for a reader that does
 * not read.
 */
export interface EventWriter {
  /** Whether everything written was taken by the kernel. Only then may `write` be called. */
  isFree(): boolean;
  /** One or several whole events. `events`: how many there are. */
  write(bytes: Buffer, events?: number): void;
  /** Ends the stream after what was written. */
  end(): void;
}

/** What feeds a stream, as the writer tells it. */
export interface StreamFeed {
  /** What was written has been taken: the next may be written. */
  onFree(): void;
  /** The stream is over, whoever ended it. */
  onClose(): void;
}

/** Begins to feed a stream; nothing is held for it before. It may write at once only where the writer is free. */
export type StreamSource = (writer: EventWriter) => StreamFeed;
