import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../server/config.js';
import { expectFor } from '../support/expect-for.js';
import { goTool } from '../support/installed-tools.js';
import { itWhere, runsHere } from '../support/it-where.js';
import { runProgram } from '../support/run-program.js';
import { itWithToolchain } from '../support/toolchains.js';
import { type ComposeFile, instances, serviceNames } from './compose-file.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const pins = ['main.go', 'go.mod', 'go.sum'].map(
  (file) => new URL(`compose-reader/${file}`, import.meta.url),
);
const reader = await goTool('compose-reader', pins, '.');
const itAsCompose = itWithToolchain(
  reader !== undefined,
  'no go, or no registry of its modules: the reading of docker-compose.yml',
);
const itWithProxy = itWhere(runsHere('haproxy', '-v'), 'no haproxy: its check of the proxy of Compose');

const rootPassword = 'cd'.repeat(32);
const secrets = {
  ADMIN_SECRET_KEY: 'admin-key-of-the-compose-test',
  CRON_SECRET: 'cron-secret-of-the-compose-test',
  WEBHOOK_KEY: 'ab'.repeat(32),
};
const compose = readFileSync(join(project, 'docker-compose.yml'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'fairlead-compose-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Reads the file in a folder of its own, so that neither this machine's .env nor its environment has an influence. */
function read(env: string, file = compose) {
  writeFileSync(join(folder, 'docker-compose.yml'), file);
  writeFileSync(join(folder, '.env'), env);
  const { PATH, HOME } = process.env;
  return runProgram(reader ?? '', [], { cwd: folder, env: { PATH, HOME } });
}

async function config(env = ''): Promise<ComposeFile> {
  const { status, stdout, stderr } = await read(`${env}\nMONGO_ROOT_PASSWORD=${rootPassword}\n`);
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as ComposeFile;
}

describe('docker-compose.yml, as Compose reads it, with the password of MongoDB alone', () => {
  itAsCompose(
    'migrates after a replica set accepts writes, and starts three instances and then a proxy after that',
    async () => {
      const { services } = await config();
      expect(Object.keys(services).sort()).toEqual([...serviceNames].sort());
      expect(services.migrate).toMatchObject({
        command: ['node', 'dist/server/cli.js', 'migrate'],
        depends_on: { mongo: { condition: 'service_healthy' } },
        restart: 'no',
      });
      for (const name of instances) {
        const { image, build, depends_on } = services[name];
        // The instances run the image that was built for the migration, so that all use one build.
        expectFor(name, [image, build]).toEqual([services.migrate.image, undefined]);
        expect(depends_on?.migrate?.condition).toBe('service_completed_successfully');
      }
      expect(Object.keys(services.proxy.depends_on ?? {})).toEqual([...instances]);
    },
  );

  itAsCompose('gives the service the user and the replica set that it gives MongoDB', async () => {
    const { mongo, 'fairlead-1': fairlead } = (await config()).services;
    const uri = new URL(fairlead.environment?.MONGODB_URI ?? '');
    expect([uri.hostname, uri.username, uri.password]).toEqual(['mongo', 'root', rootPassword]);
    expect(mongo.environment).toEqual({
      MONGO_INITDB_ROOT_USERNAME: 'root',
      MONGO_INITDB_ROOT_PASSWORD: rootPassword,
    });
    const set = mongo.command?.[(mongo.command?.indexOf('--replSet') ?? -2) + 1];
    expect(uri.searchParams.get('replicaSet')).toBe(set);
    expect(mongo.healthcheck?.test?.join(' ')).toContain(`_id: '${set}'`);
  });

  itAsCompose(
    'sets only variables that the service accepts, the same for all, and lacks only the key that production needs',
    async () => {
      const { services, networks } = await config();
      const { environment = {}, volumes } = services['fairlead-1'];
      for (const name of [...instances, 'migrate'] as const)
        expectFor(name, services[name].environment).toEqual(environment);
      expect(() => readConfig(environment)).toThrow(/1 fault.*\n.*WEBHOOK_KEY is required/);
      const read = readConfig({ ...environment, WEBHOOK_KEY: secrets.WEBHOOK_KEY });
      expect(read).toMatchObject({
        production: true,
        host: '0.0.0.0',
        port: 8080,
        metricsPort: 9090,
        scheduler: true,
        drainSeconds: 10,
      });
      expect(environment.TRUST_PROXY).toBe(networks.default?.ipam?.config?.[0]?.subnet);
      const fleets = volumes?.find(({ type }) => type === 'bind');
      expect(fleets).toMatchObject({
        source: join(folder, 'fleets'),
        target: '/app/fleets',
        read_only: true,
      });
      expectFor(read.fleetFile, existsSync(join(project, read.fleetFile))).toBe(true);
    },
  );

  itAsCompose(
    'opens no port beyond this machine, and gives no container root, a writable image or a capability',
    async () => {
      const { services } = await config();
      for (const name of serviceNames) {
        const service = services[name];
        const { ports = [], user, volumes = [] } = service;
        expectFor(
          name,
          ports.map(({ host_ip, target }) => [host_ip, target]),
        ).toEqual(name === 'proxy' ? [['127.0.0.1', 8080]] : []);
        expectFor(name, service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
        expectFor(name, service.security_opt).toContain('no-new-privileges:true');
        expectFor(name, user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
        for (const { type, read_only } of volumes) if (type === 'bind') expectFor(name, read_only).toBe(true);
      }
    },
  );

  itAsCompose(
    'asks every container that goes on whether it is well, and starts it again when it ends',
    async () => {
      const { services } = await config();
      const dockerfile = readFileSync(join(project, 'Dockerfile'), 'utf8');
      // The service's image has a health check of its own.
      expect(dockerfile).toMatch(/^HEALTHCHECK .*\\\n {2}CMD /m);
      for (const name of [...instances, 'mongo', 'proxy'] as const) {
        const { healthcheck, restart } = services[name];
        expectFor(name, restart).toBe('unless-stopped');
        if (name === 'mongo' || name === 'proxy') expectFor(name, healthcheck?.test?.[0]).toBe('CMD');
        else expectFor(name, healthcheck).toBeUndefined();
      }
    },
  );
});

describe('docker-compose.yml, as Compose reads it', () => {
  itAsCompose('says that the password of MongoDB has to be set', async () => {
    const { status, stderr } = await read('');
    expect(status).not.toBe(0);
    expect(stderr).toContain('MONGO_ROOT_PASSWORD');
  });

  itAsCompose('overrides nothing that .env says', async () => {
    const given = {
      ...secrets,
      NODE_ENV: 'development',
      HOST: '0.0.0.0',
      PORT: '9091',
      METRICS_PORT: '9092',
      MONGODB_URI: 'mongodb://one,two,three/other?replicaSet=rs1',
      FLEET_FILE: 'fleets/own.json',
      PUBLIC_URL: 'https://rates.example',
      SCHEDULER: 'off',
      DRAIN_SECONDS: '5',
    };
    const lines = Object.entries({ ...given, TRUST_PROXY: '203.0.113.7' }).map(
      ([name, value]) => `${name}=${value}`,
    );
    const { 'fairlead-2': fairlead, proxy } = (await config(`${lines.join('\n')}\n`)).services;
    expect(fairlead.environment).toMatchObject(given);
    expect(fairlead.environment?.TRUST_PROXY).toBe('203.0.113.7,172.30.17.0/24');
    expect(proxy.environment?.PORT).toBe('9091');
  });

  itAsCompose('passes .env.example with secrets to the service, with its own MongoDB', async () => {
    const example = readFileSync(join(project, '.env.example'), 'utf8');
    const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}`);
    const { 'fairlead-3': fairlead } = (await config(`${example}\n${lines.join('\n')}\n`)).services;
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
  });

  for (const [what, was, is] of [
    ['a key that Compose does not know', '  read_only: true', '  readonly: true'],
    ['a wrong type', '  cap_drop: [ALL]', '  cap_drop: ALL'],
    [
      'a wait for a service that there is not',
      '    migrate:\n      condition',
      '    migrated:\n      condition',
    ],
    ['a volume that is declared nowhere', '\n  mongo-6-key:\n', '\n'],
    ['two things of one name', 'services:\n', 'services:\n  proxy: *fairlead\n'],
  ] as const)
    itAsCompose(`is refused with ${what}`, async () => {
      expect(compose).toContain(was);
      const { status } = await read(`MONGO_ROOT_PASSWORD=${rootPassword}\n`, compose.replace(was, is));
      expect(status).not.toBe(0);
    });
});

describe('the proxy of docker-compose.yml', () => {
  const own = join(project, 'deploy/compose/haproxy.cfg');

  itWithProxy('has a configuration that HAProxy takes', async () => {
    const { PATH } = process.env;
    const check = (file: string) =>
      runProgram('haproxy', ['-c', '-f', file], { env: { PATH, PORT: '8080' } });
    expect(await check(own)).toMatchObject({ status: 0 });
    const broken = join(folder, 'haproxy.cfg');
    cpSync(own, broken);
    writeFileSync(
      broken,
      readFileSync(own, 'utf8').replace('default_backend ready', 'default_backend reddy'),
    );
    expect((await check(broken)).status).not.toBe(0);
  });

  it('leads to the three instances', () => {
    const servers = [...readFileSync(own, 'utf8').matchAll(/^ {4}server \w+ "([\w-]+):\$\{PORT\}"$/gm)];
    expect(servers.map(([, name]) => name)).toEqual([...instances, ...instances]);
  });
});
