import { z } from 'zod';

/** The deprecation of a route that should no longer be used. The dates are days in UTC: `2027-01-31`. */
export interface Deprecation {
  since: string;
  /** From this day on a major release may lack the route. */
  sunset: string;
  /** The operation to use instead, if there is one. */
  successor?: string;
}

/** The headers on every answer of a deprecated route, errors included. */
export const deprecationHeaders = {
  Deprecation: z
    .string()
    .regex(/^@\d{1,12}$/)
    .describe('Since when the operation is deprecated: `@` and seconds since the Unix epoch (RFC 9745).'),
  Sunset: z
    .string()
    .regex(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/)
    .describe('The time from which the operation may be gone (RFC 8594).'),
  Link: z
    .string()
    .min(1)
    .describe('The address of a description of the deprecation, with the relation `deprecation`.'),
} as const;

/** The values of these headers for a route. */
export function deprecationValues({
  since,
  sunset,
}: Deprecation): Record<keyof typeof deprecationHeaders, string> {
  return {
    Deprecation: `@${Date.parse(since) / 1_000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: '</docs>; rel="deprecation"; type="text/html"',
  };
}
