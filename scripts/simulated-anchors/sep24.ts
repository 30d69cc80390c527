import type { AnchorContext } from './context.js';
import { json, type Route } from './http.js';
import { spoken } from './sep1.js';
import { sep24Info } from './transfer-info.js';

/** SEP-24. */
export function sep24Routes(context: AnchorContext): Route[] {
  const served = () => spoken[context.temper().protocol].sep24;
  return [{ label: 'GET /sep24/info', served, handle: () => json(200, sep24Info(context)) }];
}
