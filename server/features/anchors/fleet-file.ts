import { readFileSync } from 'node:fs';
import { type Fleet, FleetError, parseFleet } from './fleet-file.rules.js';

/** Reads FLEET_FILE. Throws FleetError with every fault in it. */
export function readFleet(file: string): Fleet {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FleetError([`FLEET_FILE cannot be read: ${why}`]);
  }
  return parseFleet(text);
}
