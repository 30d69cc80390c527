/**
 * A stream to one reader, as its feed sees it. It holds one chunk at most: nothing is queued for a reader that does not
 * read.
 */
export interface EventWriter {
  /** Whether everything written was taken by the kernel. Only then may `write` be called. */
  isFree(): boolean;
  /** One or several whole events. `events`: how many there are. */
  write(bytes: Buffer, events?: number): void;
  /** Ends the stream after what was written. */
  end(): void;
}

/** The feed of a stream, as the writer sees it. */
export interface StreamFeed {
  /** Called when the written bytes have been taken: the next may be written. */
  onFree(): void;
  /** Called when the stream has ended, on either side. */
  onClose(): void;
}

/** Starts to feed a stream; no resources are held for it before. It may write at once only if the writer is free. */
export type StreamSource = (writer: EventWriter) => StreamFeed;
