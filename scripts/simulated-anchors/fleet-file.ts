import type { z } from 'zod';
import type { fleetSchema } from '../../server/features/anchors/fleet-file.rules.js';
import type { AnchorContext } from './context.js';
import { corridorById, corridors, type SimulatedCorridor } from './corridors.js';
import type { AnchorDefinition } from './profiles.js';

/** The fleet file as it is written. */
export type Fleet = z.input<typeof fleetSchema>;
export type FleetAnchor = Fleet['anchors'][number];

/** The environment variable that carries the partner token of a simulated anchor. */
export function partnerTokenEnv(anchorId: string): string {
  return `SIMULATED_TOKEN_${anchorId.toUpperCase().replaceAll('-', '_')}`;
}

function addresses(context: AnchorContext): Pick<FleetAnchor, 'homeDomain' | 'endpoints'> {
  const origin = context.origin();
  if (context.definition.discoverable) return { homeDomain: origin };
  return { endpoints: { transferServerSep6: `${origin}/sep6`, signingKey: context.signingKey.address } };
}

function fleetAnchor(context: AnchorContext): FleetAnchor {
  const { definition, partnerToken } = context;
  return {
    id: definition.id,
    name: definition.name,
    simulated: true,
    ...addresses(context),
    corridors: definition.corridors.map(({ id, deliveryMethods }) => ({
      id,
      deliveryMethods: [...deliveryMethods],
      collected: deliveryMethods.filter((method) => method === 'cash'),
    })),
    ...(partnerToken === null
      ? {}
      : { partnerToken: { env: partnerTokenEnv(definition.id), origin: context.origin() } }),
  };
}

/** The corridors that these anchors serve between them, in the order of the table. */
export function corridorsOf(definitions: readonly AnchorDefinition[]): SimulatedCorridor[] {
  const ids = new Set(definitions.flatMap((each) => each.corridors.map(({ id }) => corridorById(id).id)));
  return corridors.filter(({ id }) => ids.has(id));
}

export function fleetOf(contexts: readonly AnchorContext[]): Fleet {
  return {
    simulated: true,
    note: 'Simulated anchors on loopback: they move no money.',
    corridors: corridorsOf(contexts.map(({ definition }) => definition)),
    anchors: contexts.map(fleetAnchor),
  };
}
