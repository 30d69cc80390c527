import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readConfig } from '../../server/config.js';
import { expectFor } from '../support/expect-for.js';
import { itWhere, runsHere } from '../support/it-where.js';
import { runProgram } from '../support/run-program.js';

interface Service {
  entrypoint?: string[];
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  healthcheck?: { test?: string[] };
  [other: string]: unknown;
}
const instances = ['fairlead-1', 'fairlead-2', 'fairlead-3'] as const;
type Name = 'mongo' | 'migrate' | 'proxy' | (typeof instances)[number];
interface ComposeFile {
  services: Record<Name, Service>;
  networks: { default: { ipam: { config: { subnet: string }[] } } };
}

const project = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(project, path), 'utf8');
const text = read('docker-compose.yml');
const password = 'cd'.repeat(32);
const secrets = {
  ADMIN_SECRET_KEY: 'admin-key-of-the-compose-test',
  CRON_SECRET: 'cron-secret-of-the-compose-test',
  WEBHOOK_KEY: 'ab'.repeat(32),
};
const folder = mkdtempSync(join(tmpdir(), 'fairlead-compose-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The file with `${NAME}`, `${NAME:-default}`, `${NAME:+other}` and `${NAME:?fault}` filled in as Compose does. */
function composed(given: Record<string, string> = {}): ComposeFile {
  const env: Record<string, string> = { MONGO_PASSWORD: password, ...given };
  const once = (all: string) =>
    all.replace(/(?<!\$)\$\{(\w+)(?::([-+?])([^{}]*))?\}/g, (_, name: string, how = '-', other = '') => {
      const value = env[name] ?? '';
      return how === '+' ? (value === '' ? '' : other) : value === '' ? other : value;
    });
  const file = parse(once(once(text)).replaceAll('$$', '$'), { merge: true }) as ComposeFile;
  // To Compose every value of a variable is text.
  for (const { environment = {} } of Object.values(file.services))
    for (const [name, value] of Object.entries(environment)) environment[name] = String(value);
  return file;
}

describe('docker-compose.yml', () => {
  const { services, networks } = composed();
  const { mongo, migrate, 'fairlead-1': fairlead } = services;

  it('migrates after a replica set takes writes, and starts three instances after that', () => {
    expect(migrate).toMatchObject({
      command: ['node', 'dist/server/cli.js', 'migrate'],
      depends_on: { mongo: { condition: 'service_healthy' } },
    });
    const migrated = { migrate: { condition: 'service_completed_successfully' } };
    for (const name of instances) expectFor(name, services[name].depends_on).toEqual(migrated);
  });

  it('gives the service settings that it accepts, lacking only the key that production needs', () => {
    const { environment = {} } = fairlead;
    for (const name of [...instances, 'migrate'] as const)
      expectFor(name, services[name].environment).toEqual(environment);
    expect(() => readConfig(environment)).toThrow(/1 fault.*\n.*WEBHOOK_KEY is required/);
    const expected = { mode: 'production', host: '0.0.0.0', port: 8080, metricsPort: 9090, scheduler: true };
    expect(readConfig({ ...environment, WEBHOOK_KEY: secrets.WEBHOOK_KEY })).toMatchObject(expected);
    expect(environment.TRUST_PROXY).toBe(networks.default.ipam.config[0]?.subnet);
    expect(fairlead.volumes).toContain('./fleets:/app/fleets:ro');
    expect(existsSync(join(project, environment.FLEET_FILE ?? ''))).toBe(true);
  });

  it('overrides nothing that .env says', () => {
    const given = {
      ...{ ...secrets, NODE_ENV: 'development', HOST: '127.0.0.1', PORT: '9091', METRICS_PORT: '9092' },
      ...{ FLEET_FILE: 'fleets/own.json', PUBLIC_URL: 'https://rates.example', SCHEDULER: 'off' },
      MONGODB_URI: 'mongodb://one,two,three/other?replicaSet=rs1',
    };
    const { services: all } = composed({ ...given, TRUST_PROXY: '203.0.113.7' });
    const { environment = {}, env_file } = all['fairlead-2'];
    const TRUST_PROXY = '203.0.113.7,172.30.17.0/24';
    expect({ ...environment, ...secrets }).toEqual({ ...given, TRUST_PROXY });
    // What is not set here is passed on.
    expect(env_file).toEqual([{ path: '.env', required: false }]);
  });

  it('opens no port beyond this machine, and gives no container root, a writable image or a capability', () => {
    for (const [name, service] of Object.entries(services)) {
      expectFor(name, service.ports).toEqual(name === 'proxy' ? ['127.0.0.1:8080:8080'] : undefined);
      const user = expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/);
      const bound = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], user };
      expectFor(name, service).toMatchObject(bound);
      for (const volume of service.volumes ?? [])
        if (volume.startsWith('.')) expectFor(name, volume).toMatch(/:ro$/);
    }
  });

  it('and the Dockerfile name every image by an exact version, of MongoDB the one that the tests run on', () => {
    const named = `${text}\n${read('Dockerfile')}`.matchAll(/^(?: +image:|FROM) (?!fairlead:)(\S+)/gm);
    const images = new Set([...named].map(([, image = '']) => image));
    expect(images.size).toBe(3);
    for (const image of images)
      expectFor(image, image).toMatch(/^(haproxy|mongo|node):\d+\.\d+\.\d+(-[a-z]+)*$/);
    const [, version] = /MongoDB (\d+\.\d+\.\d+)/.exec(read('scripts/mongod/fetch.ts')) ?? [];
    expect(mongo.image).toBe(`mongo:${version}`);
    expect(read('docs/operations/deploy.md')).toContain(`MongoDB ${version}`);
  });
});

describe('the MongoDB of docker-compose.yml', () => {
  const { mongo, 'fairlead-1': fairlead } = composed().services;

  it('has a user for the service, whose password is in .env; the service knows nothing of root', () => {
    expect(text).toMatch(/MONGO_PASSWORD: \$\{MONGO_PASSWORD:\?.+\}/);
    const uri = new URL(fairlead.environment?.MONGODB_URI ?? '');
    expect([uri.hostname, uri.username, uri.password]).toEqual(['mongo', 'fairlead', password]);
    expect(`${JSON.stringify(fairlead)}${read('.env.example')}`).not.toMatch(/root/i);
    expect(mongo.environment).toEqual({
      MONGO_INITDB_ROOT_USERNAME: 'root',
      MONGO_INITDB_ROOT_PASSWORD_FILE: '/data/configdb/root-password',
      MONGO_PASSWORD: password,
    });
    expect(mongo.command).toEqual(expect.arrayContaining(['--keyFile', '/data/configdb/keyfile']));
    expect(uri.searchParams.get('replicaSet')).toBe(mongo.command?.[mongo.command.indexOf('--replSet') + 1]);
  });

  it('draws key and password at the first start, keeps them, and hands over to the program of the image', async () => {
    const [shell = '', option = '', script = '', name = ''] = mongo.entrypoint ?? [];
    const bin = join(folder, 'bin');
    for (const each of [bin, join(folder, 'configdb')]) mkdirSync(each);
    writeFileSync(join(bin, 'docker-entrypoint.sh'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const own = script.replaceAll('/data/configdb', join(folder, 'configdb'));
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const start = () => runProgram(shell, [option, own, name, ...(mongo.command ?? [])], { env });
    const files = ['keyfile', 'root-password'].map((file) => join(folder, 'configdb', file));
    expect(await start()).toMatchObject({ status: 0, stdout: `${mongo.command?.join(' ')}\n` });
    const first = files.map((file) => readFileSync(file, 'utf8'));
    // What mongod accepts as a key: 6 to 1024 characters of base64, in a file for its owner alone.
    for (const secret of first) expect(secret).toMatch(/^[A-Za-z0-9+/=]{100,1024}$/);
    for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o400);
    expect(first[0]).not.toBe(first[1]);
    expect((await start()).status).toBe(0);
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(first);
  });

  it('initiates its set and makes the user of the service once, and is healthy when it takes writes', () => {
    const script = mongo.healthcheck?.test?.at(-1) ?? '';
    const did: unknown[] = [];
    const set = { primary: false };
    const look = () => {
      const own = {
        auth: (...given: string[]) => did.push(['auth', ...given]),
        getUser: () => did.find((each) => Object.hasOwn(each as object, 'pwd')) ?? null,
        createUser: (user: object) => did.push(user),
      };
      const initiate = ({ _id }: { _id: string }) => did.push(_id);
      const refuse = () => {
        throw Object.assign(new Error('no'), { codeName: 'NotYetInitialized' });
      };
      const world = {
        process: { env: mongo.environment },
        require: () => ({ readFileSync: () => 'drawn' }),
        db: { getSiblingDB: () => own, hello: () => ({ isWritablePrimary: set.primary }) },
        rs: { status: () => (did.includes('rs0') ? {} : refuse()), initiate },
        quit: (code: number) => {
          throw code;
        },
      };
      try {
        runInNewContext(script, world);
      } catch (code) {
        return code;
      }
      return undefined;
    };
    expect(look()).toBe(1);
    set.primary = true;
    expect([look(), look()]).toEqual([0, 0]);
    const auth = ['auth', 'root', 'drawn'];
    const user = { user: 'fairlead', pwd: password, roles: ['readWrite'] };
    expect(did).toEqual([auth, 'rs0', auth, user, auth]);
  });
});

describe('the proxy of docker-compose.yml', () => {
  const own = join(project, 'deploy/compose/haproxy.cfg');
  const itWithProxy = itWhere(runsHere('haproxy', '-v'), 'no haproxy: its check of the proxy of Compose');

  itWithProxy('has a configuration that HAProxy takes, which leads to the three instances', async () => {
    const { PATH } = process.env;
    const check = await runProgram('haproxy', ['-c', '-f', own], { env: { PATH, PORT: '8080' } });
    expect(check).toMatchObject({ status: 0 });
    const servers = [...readFileSync(own, 'utf8').matchAll(/^ {4}server \w+ "([\w-]+):\$\{PORT\}"$/gm)];
    expect(servers.map(([, name]) => name)).toEqual([...instances, ...instances]);
  });
});

describe('the deployment on Kubernetes', () => {
  const yaml = (path: string) => parse(read(`deploy/kubernetes/${path}`), { merge: true });
  const { spec } = yaml('base/deployment.yaml');
  const pod = spec.template.spec;

  it('loses no request when pods are replaced, when nodes are drained, or while the primary is elected', () => {
    expect(spec).toMatchObject({ replicas: 3, strategy: { rollingUpdate: { maxUnavailable: 0 } } });
    // DRAIN_SECONDS in production plus thirty (docs/operations/deploy.md).
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(10 + 30);
    const patienceOf = (probe: string) => {
      const { periodSeconds, failureThreshold, httpGet } = pod.containers[0][probe];
      return [httpGet.path, periodSeconds * failureThreshold];
    };
    // The service waits a minute for its database, and an election takes up to twenty seconds.
    const [startup, readiness] = ['startupProbe', 'readinessProbe'].map(patienceOf);
    expect([startup?.[0], readiness?.[0]]).toEqual(['/healthz', '/readyz']);
    expect(startup?.[1]).toBeGreaterThan(60);
    expect(readiness?.[1]).toBeGreaterThanOrEqual(20);
    const rights = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true };
    for (const container of [...pod.initContainers, ...pod.containers])
      expect(container.securityContext).toMatchObject({ ...rights, capabilities: { drop: ['ALL'] } });
  });

  it('gives the service settings that it accepts', () => {
    const files = ['base/settings.env', 'overlays/example/settings.env'];
    const settings = parseEnv(files.map((file) => read(`deploy/kubernetes/${file}`)).join('\n'));
    const config = readConfig({
      ...settings,
      ...secrets,
      MONGODB_URI: 'mongodb://db1,db2,db3/fairlead?replicaSet=rs0',
      PUBLISHER_SECRET_KEY: 'cd'.repeat(32),
      FLEET_FILE: 'fleets/mainnet.example.json',
    });
    expect(config).toMatchObject({ mode: 'production', scheduler: true, host: '0.0.0.0', notices: [] });
    const ports = { http: config.port, metrics: config.metricsPort };
    const named = Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort }));
    expect(pod.containers[0].ports).toEqual(named);
  });
});
