import { z } from 'zod';
import { sentInstantPattern, utcInstant } from '../verification/instant.js';

/** `usdc-ngn`, or `usdc-xof-sn` where a currency is shared by countries: asset, fiat, optional country code. */
export const corridorId = z
  .string()
  .regex(
    /^[a-z0-9]{1,12}-[a-z]{3}(-[a-z]{2})?$/,
    'must be asset-fiat or asset-fiat-country in lower case, like usdc-ngn',
  )
  .describe(
    'Corridor: asset code, ISO 4217 code, optional ISO 3166 country, lower case: `usdc-ngn`, `usdc-xof-sn`.',
  );

/** A corridor in a request, in upper or lower case. The service and its answers use lower case. */
export const corridorInRequest = z
  .string()
  .regex(
    /^[A-Za-z0-9]{1,12}-[A-Za-z]{3}(-[A-Za-z]{2})?$/,
    'must be asset-fiat or asset-fiat-country, like usdc-ngn',
  )
  .transform((text) => text.toLowerCase())
  .describe('Corridor, in upper or lower case: `usdc-ngn`, `usdc-xof-sn`.');

/** Fixed path segments beside `/api/reputation/{anchor}`: no anchor may have one as its id. */
export const reservedAnchorIds: readonly string[] = ['leaderboard', 'dispute', 'reconcile', 'refresh'];

export const anchorId = z
  .string()
  .max(40)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be a lower-case slug of letters, digits and single hyphens')
  .describe('Anchor id: a slug of at most 40 characters.');

/** An anchor in a request, in upper or lower case. The service and its answers use lower case. */
export const anchorInRequest = z
  .string()
  .max(40)
  .regex(/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/, 'must be a slug of letters, digits and single hyphens')
  .transform((text) => text.toLowerCase())
  .describe('Anchor id, in upper or lower case.');

/** A decimal string with at most `places` decimals: no sign, no exponent, no leading zero, at most 12 integer digits. */
export function decimalString(places: number) {
  const fraction = places === 0 ? '' : `(\\.\\d{1,${places}})?`;
  return z
    .string()
    .regex(
      new RegExp(`^(0|[1-9]\\d{0,11})${fraction}$`),
      `must be a plain decimal such as ${places === 0 ? '12' : '12.5'}: at most 12 digits${places === 0 ? '' : `, ${places} decimals`}, no sign, exponent or leading zero`,
    );
}

/** The pattern of the decimals of a number between zero and one, without a lookahead, which RE2 (Go) does not have. */
function belowOne(places: number): string {
  const forms = Array.from(
    { length: places },
    (_, zeros) => `${'0'.repeat(zeros)}[1-9]\\d{0,${places - 1 - zeros}}`,
  );
  return forms.join('|');
}

/** A decimal string as `decimalString`, but more than zero. */
function amountWithPlaces(places: number) {
  return z
    .string()
    .regex(
      new RegExp(`^([1-9]\\d{0,11}(\\.\\d{1,${places}})?|0\\.(${belowOne(places)}))$`),
      `must be a plain decimal more than zero, such as 12.5: at most 12 digits, ${places} decimals, no sign, exponent or leading zero`,
    );
}

/** An amount of stablecoin: decimal string, at most 7 places (one stroop), more than zero. */
export const stablecoinAmount = amountWithPlaces(7).describe(
  'Amount of stablecoin: a decimal string, at most 7 places, more than zero: `250` or `99.5`.',
);

/** An amount of fiat: decimal string, more than zero. No currency has more than 3 places; the corridor says how many. */
export const payoutAmount = amountWithPlaces(3);

/** Any decimal in an answer; never a float. */
export const decimalAnswer = z.string().regex(/^(0|[1-9]\d*)(\.\d+)?$/);

/** A decimal in an answer that may be below zero; zero has no sign. */
export const signedDecimalAnswer = z.string().regex(/^(?!-0(\.0+)?$)-?(0|[1-9]\d*)(\.\d+)?$/);

function isRealInstant(text: string): boolean {
  const epochMs = Date.parse(text);
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString() === text;
}

/** An instant: ISO 8601, UTC, milliseconds, `Z`. */
export const instant = z
  .string()
  .regex(
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/,
    'must be an ISO 8601 UTC instant with milliseconds',
  )
  .refine((text) => isRealInstant(text), 'must be an instant that exists')
  .describe('ISO 8601 instant in UTC with milliseconds: `2026-11-21T09:30:00.000Z`.');

/** An instant that a client sends, in any common form of ISO 8601. Answers have it in the form of `instant`. */
export const sentInstant = z
  .string()
  .regex(sentInstantPattern, 'must be an ISO 8601 instant such as 2026-11-21T09:30:00Z')
  .refine((text) => utcInstant(text) !== null, 'must be an instant that exists')
  .describe(
    'ISO 8601 instant with `Z` or an offset, with decimals of a second or without: `2026-11-21T09:30:00Z`, ' +
      '`2026-11-21T10:30:00+01:00`. Digits beyond milliseconds are cut off.',
  );

export const intentHashText = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits')
  .describe('SHA-256 of the canonical intent: 64 lower-case hex digits.');

/** `limit` and `cursor` of every list. */
export const pageQuery = {
  limit: z
    .string()
    .regex(/^([1-9]|[1-9]\d|100)$/, 'must be a whole number from 1 to 100')
    .optional()
    .describe('How many items, 1 to 100; 50 when absent.'),
  cursor: z
    .string()
    .max(512)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be a cursor that a previous answer gave')
    .optional()
    .describe('Opaque: the `nextCursor` of the previous page. Leave the other parameters unchanged.'),
};

/** An enum of the names in the table. Its description consists of `what`, if given, and the meaning of each name. */
export function enumOfMeanings<K extends string>(meanings: Readonly<Record<K, string>>, what?: string) {
  const names = Object.keys(meanings) as [K, ...K[]];
  const explained = names.map((name) => `\`${name}\`: ${meanings[name]}`).join(' ');
  return z.enum(names).describe(what === undefined ? explained : `${what} ${explained}`);
}

/**
 * Marks an enum of answers to which minor releases may add: explanations, codes, names of events and formulas. The document
 * has `x-open-enum` there, and docs/operations/deploy.md says what clients do with a value that they do not know.
 */
export function mayGrow<T extends z.ZodEnum<[string, ...string[]]>>(schema: T): T {
  // When zod copies a schema, for example to add a description, the copy keeps the members of the definition.
  return new z.ZodEnum({ ...schema._def, mayGrow: true } as typeof schema._def) as T;
}

export function isMarkedToGrow({ _def }: z.ZodTypeAny): boolean {
  return 'mayGrow' in _def && _def.mayGrow === true;
}

/** A page of a list: `nextCursor` is null on the last one. */
export function page<T extends z.ZodTypeAny>(item: T) {
  return z.object({
    items: z.array(item).describe('The items of this page, in the order that the operation says.'),
    nextCursor: z.string().nullable().describe('`cursor` of the next page; null on the last one.'),
  });
}

/** No query parameters: one that is sent is refused rather than ignored. */
export const noQuery = z.object({}).strict();

/** The body of a POST that takes no input. */
export const noBody = z.object({}).strict().optional().describe('Nothing, or an empty object.');
