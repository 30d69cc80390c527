import { z } from 'zod';
import { anchorId, mayGrow } from './schemas/primitives.js';
import { unavailableReason } from './schemas/rates.js';

const detail = z.object({
  path: z.string().describe('Where the fault is: `query.amount`, `body.anchorId`.'),
  message: z.string().describe('What is wrong there.'),
});

/** One fault of the input: where it is, and what is wrong with it. */
export type ErrorDetail = z.infer<typeof detail>;

const unavailable = z.object({ anchorId, reason: unavailableReason }).strict();

/** An anchor that was asked for a quote and gave none. */
export type UnavailableAnchor = z.infer<typeof unavailable>;

const retryAfter = z.number().int().min(1).describe('Seconds to wait; equal to Retry-After.');

/** What codes may add to `{code, message}`. */
const extras = {
  details: {
    details: z.array(detail).max(20).optional().describe('Each fault of the input, at most 20.'),
  },
  retryAfter: { retryAfter },
  unavailable: {
    retryAfter: retryAfter.optional(),
    unavailable: z
      .array(unavailable)
      .describe('The anchors that were asked for a quote, and why each has none.'),
  },
  startedAt: {
    startedAt: z.string().datetime().describe('Since when the other run has been running.'),
  },
};

interface ErrorRule {
  status: number;
  when: string;
  extra?: keyof typeof extras;
}

/**
 * Every error that the service answers: its HTTP status, when exactly it occurs, and the member that it adds to
 * `{code, message}`. docs/errors.md is generated from this table and from error-guidance.ts, which no client loads.
 */
export const errorTable = {
  INVALID_REQUEST: {
    status: 400,
    when: 'A path, query, header or body value does not have its documented form, and `details` names each such value; or the request is not valid HTTP.',
    extra: 'details',
  },
  MALFORMED_JSON: {
    status: 400,
    when: 'The body is not JSON, is nested deeper than 16 levels, or has a key `__proto__`, `constructor` or `prototype`.',
  },
  UNAUTHORIZED: {
    status: 401,
    when: 'The admin key or bearer credential is missing, wrong, or not configured on the server.',
  },
  INVALID_SIGNATURE: {
    status: 403,
    when: 'The Ed25519 signature does not verify for this text and public key.',
  },
  SIGNER_NOT_ENTITLED: {
    status: 403,
    when: 'The signer is neither the account of the intent nor the anchor it concerns, or may not dispute this outcome.',
  },
  NOT_FOUND: { status: 404, when: 'Nothing is served at this path.' },
  UNKNOWN_CORRIDOR: { status: 404, when: 'The corridor in the path is well formed but not served.' },
  UNKNOWN_ANCHOR: { status: 404, when: 'The anchor in the path was never in the fleet.' },
  UNKNOWN_INTENT: {
    status: 404,
    when: 'No intent has this hash, or the nonce is not the one that it was registered with.',
  },
  UNKNOWN_DISPUTE: { status: 404, when: 'No dispute has this id.' },
  UNKNOWN_WEBHOOK: { status: 404, when: 'No webhook or delivery has this id.' },
  UNKNOWN_BATCH: { status: 404, when: 'No batch has this sequence, or the batch holds no such entry.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    when: 'The path exists, but not with this method; the `Allow` header lists the methods it has.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    when: 'The header block was not received within 5 seconds, or the request not within 10.',
  },
  RUN_IN_PROGRESS: {
    status: 409,
    when: 'The same job is running already; `startedAt` says since when.',
    extra: 'startedAt',
  },
  DISPUTE_EXISTS: {
    status: 409,
    when: 'The other party of this intent has filed a dispute that is still open.',
  },
  DISPUTE_RESOLVED: { status: 409, when: 'The dispute was already decided the other way.' },
  DISPUTE_WINDOW_CLOSED: {
    status: 409,
    when: 'The outcome is older than the 30 days in which it can be disputed.',
  },
  INTENT_UNRESOLVED: { status: 409, when: 'The intent has no outcome yet that could be disputed.' },
  QUOTE_BELOW_MINIMUM: { status: 409, when: "The anchor's present quote pays out less than `minReceive`." },
  TRANSACTION_CONFLICT: {
    status: 409,
    when: 'The intent already follows another transaction that was seen, or the intent has ended, or another intent holds the transaction. In the last case the claim of this intent is stored, and the transaction may pass to it later.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, when: 'The body is larger than 16 KB.' },
  URI_TOO_LONG: { status: 414, when: 'The request target is longer than 2 KB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, when: 'A body was sent that is not `application/json` in UTF-8.' },
  UNSUPPORTED_PAIR: {
    status: 422,
    when: 'The query or body names a corridor or an anchor that is unknown, an anchor that does not serve the corridor, or a delivery method that is not offered there.',
    extra: 'details',
  },
  ANCHOR_MISMATCH: {
    status: 422,
    when: "The dispute names an anchor that is not the intent's.",
    extra: 'details',
  },
  AMOUNT_OUT_OF_RANGE: {
    status: 422,
    when: 'The amount is outside the limits of the corridor, or every anchor refused it. For `receive`: every anchor refused the payout or would take an amount outside those limits for it.',
    extra: 'details',
  },
  RATE_LIMITED: {
    status: 429,
    when: 'A limit is used up: that of this endpoint, counted per client address, public key or anchor as the operation says, or that of rates for amounts that nobody requested lately. Or the client already holds as many streams as it may. `retryAfter` says how many seconds to wait.',
    extra: 'retryAfter',
  },
  HEADERS_TOO_LARGE: { status: 431, when: 'The header block is larger than 8 KB.' },
  INTERNAL: {
    status: 500,
    when: 'A fault of the service. The `X-Request-Id` header identifies it in the log.',
  },
  RATES_UNAVAILABLE: {
    status: 503,
    when: 'No anchor of the corridor has a quote, and no stored quote is recent enough; `unavailable` says why. `retryAfter` is present only if waiting may help.',
    extra: 'unavailable',
  },
  NOT_READY: {
    status: 503,
    when: 'The service is starting or stopping; its database does not answer; the instance that should run a job has a wrong clock; the instance holds as many streams as it can; too many requests change one intent at once; or the client that registers an intent already holds its share of the unpaid intents.',
    extra: 'retryAfter',
  },
} as const satisfies Record<string, ErrorRule>;

/** What went wrong, for programs. */
export type ErrorCode = keyof typeof errorTable;

type ExtraOf<C extends ErrorCode> = (typeof errorTable)[C] extends {
  extra: infer E extends keyof typeof extras;
}
  ? z.infer<z.ZodObject<(typeof extras)[E]>>
  : unknown;

/** The body of an error answer: `{code, message}` and only what its code promises. A union told apart by `code`. */
export type ErrorBody<C extends ErrorCode = ErrorCode> = C extends ErrorCode
  ? { code: C; message: string } & ExtraOf<C>
  : never;

type CodesOf<C extends ErrorCode, S> = C extends ErrorCode
  ? (typeof errorTable)[C]['status'] extends S
    ? C
    : never
  : never;

export type ErrorResponses<C extends ErrorCode> = {
  [S in (typeof errorTable)[C]['status']]: z.ZodType<ErrorBody<CodesOf<C, S>>>;
};

/** The exact 429 body of the interface specification: three members, no more. */
const rateLimitedBody = z
  .object({
    code: z.enum(['RATE_LIMITED']).describe('Always RATE_LIMITED.'),
    message: z.string().describe('For people; programs read `code`.'),
    retryAfter: z.number().int().min(1).describe('Seconds to wait; equal to the Retry-After header.'),
  })
  .strict();

/** The schema of the body for these codes of one status. A member is required if all of the codes promise it. */
function bodySchema(codes: [ErrorCode, ...ErrorCode[]]): z.ZodTypeAny {
  if (codes.includes('RATE_LIMITED')) return rateLimitedBody;
  const shapes = codes.map((code): z.ZodRawShape => {
    const rule: ErrorRule = errorTable[code];
    return rule.extra === undefined ? {} : extras[rule.extra];
  });
  const members = Object.entries(Object.assign({}, ...shapes) as z.ZodRawShape).map(([name, schema]) => {
    const isPromised = shapes.every((shape) => shape[name]?.isOptional() === false);
    return [name, isPromised || schema.isOptional() ? schema : schema.optional()];
  });
  return z
    .object({
      code: mayGrow(z.enum(codes)).describe('What went wrong, for programs.'),
      message: z.string().describe('For people; programs read `code`.'),
      ...Object.fromEntries(members),
    })
    .strict();
}

/** The schema of the body of an error with this code. */
export function errorBody(code: ErrorCode): z.ZodTypeAny {
  return bodySchema([code]);
}

/** The ts-rest `responses` members for these codes, one schema per status. */
export function errorResponses<C extends ErrorCode>(codes: readonly C[]): ErrorResponses<C> {
  const byStatus = new Map<number, [ErrorCode, ...ErrorCode[]]>();
  for (const code of codes) {
    const status = errorTable[code].status;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code] as [ErrorCode, ...ErrorCode[]]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [status, bodySchema(list)]),
  ) as unknown as ErrorResponses<C>;
}
