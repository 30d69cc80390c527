import type { Logger } from '../ports.js';
import { currentSpan } from './span.js';

/** Adds the id of the trace to each line that is written in one. */
export function tracedLog(logger: Logger): Logger {
  const traced = (fields: object): object => {
    const span = currentSpan();
    return span === undefined ? fields : { traceId: span.traceId, ...fields };
  };
  return {
    debug: (fields, message) => logger.debug(traced(fields), message),
    info: (fields, message) => logger.info(traced(fields), message),
    warn: (fields, message) => logger.warn(traced(fields), message),
    error: (fields, message) => logger.error(traced(fields), message),
    child: (fields) => tracedLog(logger.child(fields)),
  };
}
