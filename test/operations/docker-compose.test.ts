import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readConfig } from '../../server/config.js';
import { expectFor } from '../support/expect-for.js';
import { itWhere, runsHere } from '../support/it-where.js';
import { type Ended, runProgram } from '../support/run-program.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const secrets = {
  ADMIN_SECRET_KEY: 'admin-key-of-the-compose-test',
  CRON_SECRET: 'cron-secret-of-the-compose-test',
  WEBHOOK_KEY: 'ab'.repeat(32),
};

interface ComposeFile {
  services: Record<'mongo' | 'fairlead', ComposeService>;
}
interface ComposeService {
  command: string[] | null;
  environment?: Record<string, string>;
  deploy?: { replicas: number };
  depends_on?: Record<string, { condition: string }>;
  ports?: { host_ip?: string; target: number; published: string }[];
  volumes?: { type: string; source: string; target: string; read_only?: boolean }[];
  healthcheck?: { test: string[] };
  [other: string]: unknown;
}

let folder = '';
const itAsCompose = itWhere(
  runsHere('docker', 'compose', 'version'),
  'no docker compose: the reading of docker-compose.yml',
);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-compose-'));
  cpSync(join(project, 'docker-compose.yml'), join(folder, 'docker-compose.yml'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** In a folder of its own, so that neither this machine's .env nor its environment has a say. It needs no daemon. */
function compose(...args: string[]): Promise<Ended> {
  const { PATH, HOME, DOCKER_CONFIG } = process.env;
  return runProgram('docker', ['compose', ...args], { cwd: folder, env: { PATH, HOME, DOCKER_CONFIG } });
}

async function config(env?: string): Promise<ComposeFile> {
  rmSync(join(folder, '.env'), { force: true });
  if (env !== undefined) writeFileSync(join(folder, '.env'), env);
  const { status, stdout, stderr } = await compose('config', '--format', 'json');
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as ComposeFile;
}

describe('docker-compose.yml, as docker compose reads it', () => {
  itAsCompose(
    'without a .env: starts two replicas of the service after a replica set accepts writes',
    async () => {
      const { mongo, fairlead } = (await config()).services;
      expect(fairlead.deploy?.replicas).toBe(2);
      expect(fairlead.depends_on?.mongo?.condition).toBe('service_healthy');
      const uri = new URL(fairlead.environment?.MONGODB_URI ?? '');
      expect(uri.hostname).toBe('mongo');
      const set = mongo.command?.[(mongo.command?.indexOf('--replSet') ?? -2) + 1];
      expect(uri.searchParams.get('replicaSet')).toBe(set);
      expect(mongo.healthcheck?.test.join(' ')).toContain(`_id: '${set}'`);
    },
  );

  itAsCompose(
    'without a .env: sets only variables that the service accepts, and lacks only the key that production needs',
    async () => {
      const { fairlead } = (await config()).services;
      expect(() => readConfig(fairlead.environment ?? {})).toThrow(/1 fault.*\n.*WEBHOOK_KEY is required/);
      const read = readConfig({ ...fairlead.environment, WEBHOOK_KEY: secrets.WEBHOOK_KEY });
      expect(read).toMatchObject({ production: true, host: '0.0.0.0', port: 8080, scheduler: true });
      const fleets = fairlead.volumes?.find(({ type }) => type === 'bind');
      expect(fleets).toMatchObject({ source: join(folder, 'fleets'), read_only: true });
      expect(fleets?.target).toBe('/app/fleets');
      expectFor(read.fleetFile, existsSync(join(project, read.fleetFile))).toBe(true);
    },
  );

  itAsCompose(
    'without a .env: opens no port beyond this machine, and gives the service no writable path',
    async () => {
      const { mongo, fairlead } = (await config()).services;
      expect(mongo.ports ?? []).toEqual([]);
      expect(fairlead.ports?.map(({ host_ip, target }) => [host_ip, target])).toEqual([['127.0.0.1', 8080]]);
      expect(fairlead).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(fairlead.security_opt).toContain('no-new-privileges:true');
    },
  );

  itAsCompose('with a .env: overrides nothing that it says', async () => {
    const given = {
      ...secrets,
      NODE_ENV: 'development',
      HOST: '0.0.0.0',
      PORT: '9090',
      MONGODB_URI: 'mongodb://one,two,three/other?replicaSet=rs1',
      FLEET_FILE: 'fleets/own.json',
      PUBLIC_URL: 'https://rates.example',
      SCHEDULER: 'off',
    };
    const lines = Object.entries(given).map(([name, value]) => `${name}=${value}`);
    const { fairlead } = (await config(`${lines.join('\n')}\n`)).services;
    expect(fairlead.environment).toMatchObject(given);
    expect(fairlead.ports?.map(({ target }) => target)).toEqual([9090]);
  });

  itAsCompose(
    'with .env.example and secrets as .env: passes them to the service, with its own MongoDB',
    async () => {
      const example = readFileSync(join(project, '.env.example'), 'utf8');
      const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}`);
      const { fairlead } = (await config(`${example}\n${lines.join('\n')}\n`)).services;
      const read = readConfig(fairlead.environment ?? {});
      expect(read).toMatchObject({
        production: true,
        host: '0.0.0.0',
        adminKeys: [secrets.ADMIN_SECRET_KEY],
        cronSecrets: [secrets.CRON_SECRET],
        webhookKey: secrets.WEBHOOK_KEY,
      });
      expect(new URL(read.mongodbUri).hostname).toBe('mongo');
      expect(read.fleetFile).toBe('fleets/mainnet.example.json');
    },
  );
});

describe('docker-compose.yml', () => {
  it('gives the service no variable with a value that .env could not change', () => {
    const file = parse(readFileSync(join(project, 'docker-compose.yml'), 'utf8')) as ComposeFile;
    const environment = Object.entries(file.services.fairlead.environment ?? {});
    expect(environment.length).toBeGreaterThan(3);
    for (const [name, value] of environment)
      expectFor(name, value).toMatch(new RegExp(`^\\$\\{${name}:-.+\\}$`));
  });
});
