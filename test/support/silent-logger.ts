import type { Logger } from '../../server/ports.js';

const ignore = () => undefined;

/** For tests that do not look at the log. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLogger,
};
