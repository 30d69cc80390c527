import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Program } from './program.js';
import type { AnchorsTold, CallsSeen } from './programs/anchors.js';

export interface AnchorsProcess extends Program {
  /** For `startService`: FLEET_FILE, FX_URL, OUTBOUND_ALLOW, partner tokens. */
  env: Record<string, string>;
  /** How often each was asked for a price since `resetCalls`. */
  calls(): Promise<CallsSeen>;
  resetCalls(): Promise<void>;
}

/** `program` runs programs/anchors.ts; the fleet file goes into `folder`. */
export async function anchorsProcess(program: Program, folder: string): Promise<AnchorsProcess> {
  const { fleet, env } = (await program.ready()) as AnchorsTold;
  const fleetFile = join(folder, `fleet-${program.pid}.json`);
  await writeFile(fleetFile, JSON.stringify(fleet));
  return {
    ...program,
    env: { ...env, FLEET_FILE: fleetFile },
    calls: async () => (await program.ask('calls')) as CallsSeen,
    resetCalls: async () => {
      await program.ask('reset-calls');
    },
  };
}
