import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { imagesOf } from '../../scripts/check-images.js';
import { readConfig } from '../../server/config.js';
import { expectFor } from '../support/expect-for.js';
import { itWhere, runsHere } from '../support/it-where.js';
import { type Ended, runProgram } from '../support/run-program.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const rootPassword = 'cd'.repeat(32);
const secrets = {
  ADMIN_SECRET_KEY: 'admin-key-of-the-compose-test',
  CRON_SECRET: 'cron-secret-of-the-compose-test',
  WEBHOOK_KEY: 'ab'.repeat(32),
};

interface ComposeFile {
  services: Record<'mongo' | 'fairlead', ComposeService>;
}
interface ComposeService {
  image?: string;
  entrypoint?: string[];
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

async function config(env = ''): Promise<ComposeFile> {
  writeFileSync(join(folder, '.env'), `${env}\nMONGO_ROOT_PASSWORD=${rootPassword}\n`);
  const { status, stdout, stderr } = await compose('config', '--format', 'json');
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as ComposeFile;
}

describe('docker-compose.yml, as docker compose reads it', () => {
  itAsCompose(
    'with the password of MongoDB alone: starts two replicas of the service after a replica set accepts writes',
    async () => {
      const { mongo, fairlead } = (await config()).services;
      expect(fairlead.deploy?.replicas).toBe(2);
      expect(fairlead.depends_on?.mongo?.condition).toBe('service_healthy');
      const uri = new URL(fairlead.environment?.MONGODB_URI ?? '');
      expect([uri.hostname, uri.username, uri.password]).toEqual(['mongo', 'root', rootPassword]);
      expect(mongo.environment).toEqual({
        MONGO_INITDB_ROOT_USERNAME: 'root',
        MONGO_INITDB_ROOT_PASSWORD: rootPassword,
      });
      const set = mongo.command?.[(mongo.command?.indexOf('--replSet') ?? -2) + 1];
      expect(uri.searchParams.get('replicaSet')).toBe(set);
      expect(mongo.healthcheck?.test.join(' ')).toContain(`_id: '${set}'`);
    },
  );

  itAsCompose(
    'with the password of MongoDB alone: sets only variables that the service accepts, and lacks only the key that production needs',
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
    'with the password of MongoDB alone: opens no port beyond this machine, and gives the service no writable path',
    async () => {
      const { mongo, fairlead } = (await config()).services;
      expect(mongo.ports ?? []).toEqual([]);
      expect(fairlead.ports?.map(({ host_ip, target }) => [host_ip, target])).toEqual([['127.0.0.1', 8080]]);
      expect(fairlead).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(fairlead.security_opt).toContain('no-new-privileges:true');
    },
  );

  itAsCompose('without the password of MongoDB: says that it has to be set', async () => {
    rmSync(join(folder, '.env'), { force: true });
    const { status, stderr } = await compose('config');
    expect(status).not.toBe(0);
    expect(stderr).toContain('MONGO_ROOT_PASSWORD');
  });

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
  const text = readFileSync(join(project, 'docker-compose.yml'), 'utf8');
  const dockerfile = readFileSync(join(project, 'Dockerfile'), 'utf8');
  const { mongo, fairlead } = (parse(text) as ComposeFile).services;

  it('gives the service no variable with a value that .env could not change', () => {
    const environment = Object.entries(fairlead.environment ?? {});
    expect(environment.length).toBeGreaterThan(3);
    for (const [name, value] of environment)
      expectFor(name, value).toMatch(new RegExp(`^\\$\\{${name}:-.+\\}$`));
  });

  it('and the Dockerfile name every image by an exact version', () => {
    const images = imagesOf(text, dockerfile);
    expect(images).toHaveLength(2);
    for (const image of images) expectFor(image, image).toMatch(/^(mongo|node):\d+\.\d+\.\d+(-[a-z]+)*$/);
  });

  it('is built from files that .dockerignore lets in', () => {
    const letIn = readFileSync(join(project, '.dockerignore'), 'utf8').split('\n');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = '']) =>
      from.split(' '),
    );
    for (const path of copied) {
      const parents = path.split('/').map((_, index, parts) => `!${parts.slice(0, index + 1).join('/')}`);
      expectFor(
        path,
        parents.some((line) => letIn.includes(line)),
      ).toBe(true);
    }
  });

  it('starts the MongoDB that the tests run on', () => {
    const fetched = readFileSync(join(project, 'scripts/mongod/fetch.ts'), 'utf8');
    const [, version] = /MongoDB (\d+\.\d+\.\d+)/.exec(fetched) ?? [];
    expect(mongo.image).toBe(`mongo:${version}`);
    expect(readFileSync(join(project, 'docs/operations.md'), 'utf8')).toContain(`MongoDB ${version}`);
  });

  it('gives MongoDB a password that is in .env alone, and its set a key that is in no file of the project', () => {
    expect(mongo.environment?.MONGO_INITDB_ROOT_PASSWORD).toMatch(/^\$\{MONGO_ROOT_PASSWORD:\?.+\}$/);
    expect(fairlead.environment?.MONGODB_URI).toMatch(/\/\/root:\$\{MONGO_ROOT_PASSWORD\}@mongo:27017\//);
    expect(fairlead.environment?.MONGODB_URI).toContain('authSource=admin');
    expect(mongo.command).toContain('--keyFile');
    expect(mongo.healthcheck?.test.join(' ')).toContain('.auth(user, password)');
  });

  it('draws the key of the set at the first start, keeps it, and hands over to the program of the image', async () => {
    const [shell = '', option = '', script = '', name = ''] = mongo.entrypoint ?? [];
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    mkdirSync(join(folder, 'configdb'));
    writeFileSync(join(bin, 'docker-entrypoint.sh'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    writeFileSync(join(bin, 'chown'), '#!/bin/sh\n', { mode: 0o755 });
    // Compose turns $$ into $.
    const own = script.replaceAll('$$', '$').replaceAll('/data/configdb', join(folder, 'configdb'));
    const start = () =>
      runProgram(shell, [option, own, name, ...(mongo.command ?? [])], {
        env: { PATH: `${bin}:${process.env.PATH}` },
      });
    const first = await start();
    expect(first).toMatchObject({ status: 0, stdout: `${mongo.command?.join(' ')}\n` });
    const keyfile = join(folder, 'configdb/keyfile');
    const key = readFileSync(keyfile, 'utf8');
    // What mongod accepts: 6 to 1024 characters of base64, in a file for its owner alone.
    expect(key).toMatch(/^[A-Za-z0-9+/=]{100,1024}$/);
    expect(statSync(keyfile).mode & 0o777).toBe(0o400);
    expect((await start()).status).toBe(0);
    expect(readFileSync(keyfile, 'utf8')).toBe(key);
  });
});
