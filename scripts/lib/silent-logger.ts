import type { Logger } from '../../server/ports.js';

const nothing = () => undefined;

/** Logs nothing. */
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentLogger,
};
