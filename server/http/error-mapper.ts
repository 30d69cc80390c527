import { type RequestValidationError, RequestValidationError as ValidationError } from '@ts-rest/express';
import type { ErrorRequestHandler, Response } from 'express';
import { type ZodIssue, z } from 'zod';
import type { ErrorDetail } from '../../contract/errors.js';
import { ApiError, invalidRequest } from '../errors.js';
import { isMongoUnavailable } from '../mongo/failures.js';
import { LeaseLostError } from '../mongo/leases.js';
import type { Logger } from '../ports.js';
import { tooLarge } from './json-body.js';

type RequestPart = 'path' | 'query' | 'header' | 'body';

const maxDetails = 20;
const maxEcho = 64;
const notReadyRetrySeconds = 2;

/** The one place where an error becomes an answer: `{code, message}`, and the members that its code promises. */
export function errorMapper(deps: { logger: Logger }): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const known = toApiError(error);
    if (known.code === 'INTERNAL') {
      deps.logger.error(
        { err: error, requestId: res.locals.requestId, route: req.route?.path },
        'request failed',
      );
    }
    // A body that was begun cannot become an error; instead the client sees that it ends too early.
    if (res.headersSent) res.destroy();
    else sendError(res, known);
  };
}

function sendError(res: Response, error: ApiError): void {
  const { retryAfter } = error.extras;
  res.status(error.status);
  res.setHeader('Cache-Control', 'no-store');
  if (retryAfter !== undefined) res.setHeader('Retry-After', String(retryAfter));
  res.json(bodyOf(error));
}

/** Members that are undefined are not written. */
export function bodyOf({ code, message, extras }: ApiError): object {
  const { details, retryAfter, startedAt, unavailable } = extras;
  return {
    code,
    message,
    details: details?.slice(0, maxDetails),
    retryAfter,
    startedAt,
    unavailable,
  };
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ValidationError) return validationFaults(error);
  if (error instanceof URIError)
    return invalidRequest([{ path: 'path', message: 'is not validly percent-encoded' }]);
  // Checked before the database, because a body that its client broke off fails with the code of a socket, too.
  const body = bodyError(error);
  if (body !== undefined) return body;
  const notReady = (message: string) =>
    new ApiError('NOT_READY', message, { retryAfter: notReadyRetrySeconds, cause: error });
  if (isMongoUnavailable(error)) return notReady('The database does not answer.');
  if (error instanceof LeaseLostError)
    return notReady('The run was interrupted; the next one continues where it stopped.');
  return new ApiError('INTERNAL', 'The service failed; quote the X-Request-Id when reporting it.');
}

/** Errors of the body reader, recognised by their `type`. */
function bodyError(error: unknown): ApiError | undefined {
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return tooLarge();
    case 'encoding.unsupported':
      return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent uncompressed.');
    case 'request.size.invalid':
    case 'request.aborted':
    case 'stream.not.readable':
      // The client broke off or sent invalid HTTP; its connection is being closed.
      return new ApiError('MALFORMED_JSON', 'The body was not received completely.');
    default:
      return undefined;
  }
}

function validationFaults(error: RequestValidationError): ApiError {
  const parts = [
    ['path', error.pathParams],
    ['query', error.query],
    ['header', error.headers],
    ['body', error.body],
  ] as const;
  const details = parts.flatMap(([part, zodError]) =>
    zodError === null ? [] : zodError.issues.flatMap((issue) => toDetails(part, issue as ZodIssue)),
  );
  return invalidRequest(details);
}

function toDetails(part: RequestPart, issue: ZodIssue): ErrorDetail[] {
  const at = (path: (string | number)[]) => [part, ...path.map((step) => cap(String(step)))].join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: at([...issue.path, key]), message: 'is not known here' }));
  }
  return [{ path: at(issue.path), message: plainMessage(issue, part) }];
}

/** Our own messages are kept; zod's are replaced, because they are hard to read and may quote what was sent. */
function plainMessage(issue: ZodIssue, part: RequestPart): string {
  if (issue.message !== z.defaultErrorMap(issue, { data: undefined, defaultError: '' }).message)
    return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      if (issue.received === 'undefined') return 'is required';
      if (part === 'query' && issue.received === 'array') return 'is given more than once';
      return issue.expected.includes("'")
        ? `must be one of ${issue.expected.replaceAll("'", '').replaceAll(' | ', ', ')}`
        : `must be ${withArticle(issue.expected)}`;
    case 'invalid_enum_value':
      // zod quotes the value it received, which may be long or hostile.
      return `must be one of ${issue.options.join(', ')}`;
    case 'too_big':
      return `must ${measure(issue.type)} at most ${issue.maximum}${unit(issue.type, issue.maximum)}`;
    case 'too_small':
      return `must ${measure(issue.type)} at least ${issue.minimum}${unit(issue.type, issue.minimum)}`;
    default:
      return issue.message;
  }
}

function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function measure(type: string): string {
  return type === 'string' || type === 'array' ? 'have' : 'be';
}

function unit(type: string, count: number | bigint): string {
  const noun = { string: ' character', array: ' item' }[type];
  return noun === undefined ? '' : `${noun}${Number(count) === 1 ? '' : 's'}`;
}

function cap(text: string): string {
  return text.length > maxEcho ? `${text.slice(0, maxEcho)}…` : text;
}
