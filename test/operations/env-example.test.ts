import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../server/config.js';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

const documented = [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)];
const understood = [...read('server/config.ts').matchAll(/^ {2}([A-Z_]+): /gm)];

/** The service does not read this variable: docker compose puts it into MONGODB_URI. */
const ofComposeAlone = 'MONGO_ROOT_PASSWORD';

describe('.env.example', () => {
  it('names every variable that the service or docker compose reads, once, and no other', () => {
    const names = documented.map(([, name]) => name);
    expect(understood.length).toBeGreaterThan(15);
    expect(documented.length).toBeLessThanOrEqual(30);
    expect([...names].sort()).toEqual([ofComposeAlone, ...understood.map(([, name]) => name)].sort());
  });

  it('is accepted by the service once it names a database', () => {
    const env = Object.fromEntries(documented.map(([, name, value]) => [name, value]));
    expect(() => readConfig(env)).toThrow(/1 fault.*\n.*MONGODB_URI/);
    const MONGODB_URI = 'mongodb://127.0.0.1:27017/fairlead?replicaSet=rs0';
    expect(readConfig({ ...env, MONGODB_URI })).toMatchObject({
      port: 8080,
      fleetFile: 'fleets/mainnet.example.json',
    });
  });
});
