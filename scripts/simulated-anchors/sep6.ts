import type { AnchorContext } from './context.js';
import { json, type Route } from './http.js';
import { spoken } from './sep1.js';
import { sep6Info } from './transfer-info.js';

/** SEP-6. */
export function sep6Routes(context: AnchorContext): Route[] {
  const served = () => spoken[context.temper().protocol].sep6;
  return [{ label: 'GET /sep6/info', served, handle: () => json(200, sep6Info(context)) }];
}
