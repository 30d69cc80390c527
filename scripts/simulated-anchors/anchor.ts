import type { Clock, Random } from '../../server/ports.js';
import type { AnchorContext } from './context.js';
import { simulatedKey, simulatedPartnerToken } from './keys.js';
import { sep1Routes } from './sep1.js';
import { sep6Routes } from './sep6.js';
import { sep24Routes } from './sep24.js';
import { sep38Routes } from './sep38.js';
import { type LoopbackServer, startLoopbackServer } from './server.js';
import type { AnchorDefinition, Temper } from './types.js';

/** A running simulated anchor, and the hands a test has on it. */
export interface SimulatedAnchor extends LoopbackServer {
  id: string;
  name: string;
  /** `G…`, the SIGNING_KEY of its stellar.toml. */
  signingKey: string;
  partnerToken: string | null;
  context: AnchorContext;
  /** Changes its temper from the next request on. */
  setTemper(patch: Partial<Temper>): void;
}

export interface AnchorWorld {
  clock: Clock;
  random: Random;
  seed: string;
  pace: number;
  latencyFactor: number;
}

export async function startSimulatedAnchor(
  definition: AnchorDefinition,
  world: AnchorWorld,
  port: number,
): Promise<SimulatedAnchor> {
  let temper = definition.temper;
  let origin = '';
  const context: AnchorContext = {
    definition,
    temper: () => temper,
    origin: () => origin,
    clock: world.clock,
    random: world.random,
    seed: world.seed,
    pace: world.pace,
    signingKey: simulatedKey(`${definition.id} signing`),
    receivingAccount: simulatedKey(`${definition.id} receiving`).address,
    partnerToken: definition.partner ? simulatedPartnerToken(definition.id) : null,
  };
  const server = await startLoopbackServer({
    routes: [
      ...sep1Routes(context),
      ...sep38Routes(context),
      ...sep24Routes(context),
      ...sep6Routes(context),
    ],
    temper: context.temper,
    clock: world.clock,
    random: world.random,
    port,
    latencyFactor: world.latencyFactor,
  });
  origin = server.origin;
  return Object.assign(server, {
    id: definition.id,
    name: definition.name,
    signingKey: context.signingKey.address,
    partnerToken: context.partnerToken,
    context,
    setTemper(patch: Partial<Temper>) {
      temper = { ...temper, ...patch };
    },
  });
}
