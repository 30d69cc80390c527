import type { Response } from 'express';
import { deprecationHeaders, deprecationValues } from '../../contract/deprecation.js';
import type { RouteMetadata } from '../../contract/describe-route.js';

export const deprecationHeaderNames = Object.keys(deprecationHeaders);

/** Marks every answer of a deprecated route as such, with the date until which the route stays. */
export function showDeprecation(res: Response, { deprecated }: Pick<RouteMetadata, 'deprecated'>): void {
  if (deprecated === undefined) return;
  for (const [name, value] of Object.entries(deprecationValues(deprecated))) res.setHeader(name, value);
  const exposed = res.getHeader('Access-Control-Expose-Headers');
  if (exposed !== undefined)
    res.setHeader('Access-Control-Expose-Headers', [exposed, ...deprecationHeaderNames].join(', '));
}
