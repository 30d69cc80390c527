import type { z } from 'zod';
import type { fleetSchema } from '../../server/features/anchors/fleet-file.rules.js';
import type { AnchorContext } from './context.js';
import { corridors } from './corridors.js';

/** The fleet file as it is written. */
export type Fleet = z.input<typeof fleetSchema>;
export type FleetAnchor = Fleet['anchors'][number];

/** The environment variable that carries the partner token of a simulated anchor. */
export function partnerTokenEnv(anchorId: string): string {
  return `SIMULATED_TOKEN_${anchorId.toUpperCase().replaceAll('-', '_')}`;
}

/** An anchor that speaks SEP-6 alone publishes no stellar.toml: the file gives its addresses. */
function fleetAnchor({ definition, partnerToken, origin, signingKey, profile }: AnchorContext): FleetAnchor {
  const { id, name } = definition;
  const endpoints = { transferServerSep6: `${origin()}/sep6`, signingKey: signingKey.address };
  return {
    id,
    name,
    simulated: true,
    ...(profile().protocol === 'fee-sep6' ? { endpoints } : { homeDomain: origin() }),
    corridors: definition.corridors.map(({ id, deliveryMethods }) => ({
      id,
      deliveryMethods: [...deliveryMethods],
      collected: deliveryMethods.filter((method) => method === 'cash'),
    })),
    ...(partnerToken === null ? {} : { partnerToken: { env: partnerTokenEnv(id), origin: origin() } }),
  };
}

/** These anchors, and the corridors that they serve between them in the order of the table. */
export function fleetOf(contexts: readonly AnchorContext[]): Fleet {
  const ids = new Set(contexts.flatMap(({ definition }) => definition.corridors.map(({ id }) => id)));
  return {
    simulated: true,
    note: 'Simulated anchors on loopback: they move no money.',
    corridors: corridors.filter(({ id }) => ids.has(id)),
    anchors: contexts.map(fleetAnchor),
  };
}
