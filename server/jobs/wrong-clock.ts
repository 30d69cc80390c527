import { ApiError } from '../errors.js';

/** A clock is not put right within seconds; another instance can be asked at once. */
const retryAfterSeconds = 10;

/** This instance runs no job now, because the clock of its machine is wrong: NOT_READY if a request asked for the job. */
export class WrongClockError extends ApiError {
  constructor(message: string) {
    super('NOT_READY', message, { retryAfter: retryAfterSeconds });
  }
}
