/** What a request may contain, and how long it may take to arrive. */
export const requestLimits = {
  /** Until the header block is complete. */
  headersTimeoutMs: 5_000,
  /** Until the body is complete. */
  requestTimeoutMs: 10_000,
  /** Between two requests of a connection. */
  keepAliveTimeoutMs: 5_000,
  /** Without a byte in either direction while an answer is awaited, made or read. */
  silentMs: 20_000,
  headerBytes: 8 * 1024,
  /** Characters of path and query. */
  targetLength: 2_048,
  bodyBytes: 16 * 1024,
  /** Levels of objects and arrays in a JSON body. */
  bodyDepth: 16,
};
