import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig } from '../../server/config.js';

const least = {
  MONGODB_URI: 'mongodb://127.0.0.1/fairlead?replicaSet=rs0',
  FLEET_FILE: 'fleets/mainnet.example.json',
};
const secret = 'a'.repeat(64);
const production = { ...least, NODE_ENV: 'production', WEBHOOK_KEY: secret };

function faults(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('the configuration', () => {
  it('needs a database and a fleet, has a default for everything else, and takes an empty variable as unset', () => {
    const defaults = {
      ...{ mode: 'development', port: 8080, metricsPort: undefined, publicUrl: 'http://127.0.0.1:8080' },
      ...{ scheduler: true, observer: false, drainSeconds: 0, adminKeys: [], webhookKey: undefined },
    };
    expect(readConfig(least)).toMatchObject(defaults);
    expect(readConfig({ ...least, PORT: '', ADMIN_SECRET_KEY: '', NODE_ENV: '' })).toMatchObject(defaults);
    expect(readConfig(production)).toMatchObject({ mode: 'production', scheduler: false, drainSeconds: 10 });
  });

  it.each<[env: Record<string, string>, read: object]>([
    [{ SCHEDULER: 'on' }, { scheduler: true }],
    [{ DRAIN_SECONDS: '0' }, { drainSeconds: 0 }],
    [{ OBSERVER: 'on' }, { observer: true }],
    [{ CRON_SECRET: `${secret}, ${'b'.repeat(24)}` }, { cronSecrets: expect.anything() }],
    [{ METRICS_PORT: '9090' }, { port: 8080, metricsPort: 9_090 }],
    [{ HOST: '::' }, { publicUrl: 'http://[::]:8080' }],
    [{ PUBLIC_URL: 'https://a.example/rates/' }, { publicUrl: 'https://a.example/rates' }],
    // Callbacks are verified over the host in this form.
    [{ PUBLIC_URL: 'HTTPS://RATES.Example:443' }, { publicUrl: 'https://rates.example' }],
    [{ PUBLIC_URL: 'https://bücher.example/api/' }, { publicUrl: 'https://xn--bcher-kva.example/api' }],
    [{ PUBLIC_URL: 'http://rates.example:8080/' }, { publicUrl: 'http://rates.example:8080' }],
    [{ LEDGER_RPC_URL: 'https://rpc.example/key/' }, { ledgerRpcUrl: 'https://rpc.example/key/' }],
    [{ MONGODB_URI: 'mongodb://a:1,b:2/fairlead?replicaSet=rs0' }, {}],
    [{ MONGODB_URI: 'mongodb+srv://user:password@cluster.example/fairlead' }, {}],
    [{ TRUST_PROXY: '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7' }, {}],
    [{ TRUST_PROXY: '104.16.0.0/13,2606:4700::/32' }, {}],
  ])('reads %j', (env, read) => {
    expect(readConfig({ ...production, ...env })).toMatchObject(read);
  });

  it.each<[says: string, env: Record<string, string>]>([
    ['NODE_ENV must be development, test or production', { NODE_ENV: 'prod' }],
    ['NODE_ENV must be development, test or production', { NODE_ENV: 'Production' }],
    ['FLEET_FILE names a file that cannot be read', { FLEET_FILE: 'fleets/gone.json' }],
    ['FLEET_FILE names a file that cannot be read', { FLEET_FILE: 'fleets' }],
    ['MONGODB_URI must name a database', { MONGODB_URI: 'mongodb://127.0.0.1' }],
    ['MONGODB_URI must name a database', { MONGODB_URI: 'mongodb://127.0.0.1:27017/?replicaSet=rs0' }],
    ['MONGODB_URI must name a database', { MONGODB_URI: 'mongodb+srv://u:pass@c.example/?w=majority' }],
    ['PUBLIC_URL must have no query', { PUBLIC_URL: 'https://a.example/?env=prod' }],
    ['PUBLIC_URL must have no query', { PUBLIC_URL: 'https://a.example/#' }],
    ['PUBLIC_URL must have no query', { PUBLIC_URL: 'https://name:word@a.example' }],
    ['HORIZON_URL must have no query', { HORIZON_URL: 'https://horizon.example/?apikey=1' }],
    ['HORIZON_URL must have no query', { HORIZON_URL: 'https://horizon.example/#a' }],
    ['METRICS_PORT must be another port', { METRICS_PORT: '8080' }],
    ['METRICS_PORT must be another port', { PORT: '9090', METRICS_PORT: '9090' }],
    ['METRICS_PORT must be a port number', { METRICS_PORT: '99999' }],
    ['DRAIN_SECONDS must be from 0 to 600', { DRAIN_SECONDS: '601' }],
    ['CRON_SECRET may list two values at most', { CRON_SECRET: `${secret},${secret},${secret}` }],
    ['ADMIN_SECRET_KEY must have at least 24 characters', { ADMIN_SECRET_KEY: 'short' }],
    ['CRON_SECRET must have at least 24 characters', { CRON_SECRET: 'short' }],
    ['METRICS_TOKEN must have at least 24 characters', { METRICS_TOKEN: 'short' }],
    ['WEBHOOK_KEY is required in production', { WEBHOOK_KEY: '' }],
    ...['0.0.0.0/0', '::/0', '10.0.0.0/8,0.0.0.0/1,128.0.0.0/1', '128.0.0.0/1', '2000::/4'].map(
      (TRUST_PROXY): [string, Record<string, string>] => ['TRUST_PROXY holds a range wider', { TRUST_PROXY }],
    ),
    // Ranges that are wide only together.
    ['TRUST_PROXY', { TRUST_PROXY: '0.0.0.0/2, 64.0.0.0/3, 96.0.0.0/3, 64.0.0.0/8' }],
    ['TRUST_PROXY', { TRUST_PROXY: '2000::/5,2800::/5' }],
  ])('refuses a production service: %s %j', (says, env) => {
    const message = faults({ ...production, ...env });
    expect(message).toContain('has 1 fault(s)');
    expect(message).toContain(says);
  });

  it('accepts short secrets, wide proxies and no key for webhooks where it is not in production', () => {
    const env = { ADMIN_SECRET_KEY: 'short', CRON_SECRET: 'short', TRUST_PROXY: '0.0.0.0/0' };
    expect(faults({ ...least, ...env })).toBe('');
  });

  it('reports all faults together, those of variables that depend on others and a missing file included', () => {
    const message = faults({
      NODE_ENV: 'production',
      MONGODB_URI: 'mongodb://127.0.0.1/?replicaSet=rs0',
      FLEET_FILE: 'fleets/gone.json',
      PORT: 'web',
      TRUST_PROXY: '10.0.0.0/8,office',
      OUTBOUND_ALLOW: 'intranet',
      SCHEDULER: 'yes',
      ADMIN_SECRET_KEY: 'hunter2',
      CRON_SECRET: 'one,two,three',
    });
    const at = 'MONGODB_URI FLEET_FILE PORT TRUST_PROXY OUTBOUND_ALLOW SCHEDULER WEBHOOK_KEY CRON_SECRET';
    for (const name of [...at.split(' '), 'ADMIN_SECRET_KEY', '"office"']) expect(message).toContain(name);
    expect(message).not.toContain('hunter2');
    const bare = faults({ NODE_ENV: 'development' });
    for (const name of ['MONGODB_URI', 'FLEET_FILE']) expect(bare).toContain(`${name} is required`);
  });
});

it.each([
  ['SHEDULER', 'SCHEDULER'],
  ['ADMIN_SECRET_KEYS', 'ADMIN_SECRET_KEY'],
  ['MONGO_URI', 'MONGODB_URI'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['PORTS', 'PORT'],
  ['HOSTNAME', undefined],
  ['PATH', undefined],
  ['MONGODB_URL', 'MONGODB_URI'],
])('a mistyped variable is pointed out with the one that was meant: %s', (name, meant) => {
  const says = `${name} is not a variable of this service: did you mean ${meant}?`;
  const matching = meant === undefined ? expect.not.stringContaining(name) : expect.stringContaining(says);
  expect(readConfig({ ...least, [name]: 'on' }).notices.join('\n')).toEqual(matching);
  expect(faults({ [name]: 'on' })).toEqual(matching);
});

describe('what is off because it is not configured', () => {
  const all = {
    PUBLIC_URL: 'https://rates.example',
    ADMIN_SECRET_KEY: 'a'.repeat(24),
    CRON_SECRET: 'c'.repeat(24),
    PUBLISHER_SECRET_KEY: 'b'.repeat(64),
    LEDGER_RPC_URL: 'https://rpc.example',
  };

  it.each(Object.keys(all))('is said by a notice: %s', (name) => {
    const horizon = { LEDGER_RPC_URL: '', HORIZON_URL: 'https://horizon.example' };
    expect(readConfig({ ...production, ...all }).notices).toEqual([]);
    expect(readConfig({ ...production, ...all, ...horizon }).notices).toEqual([]);
    const { notices } = readConfig({ ...production, SCHEDULER: 'on', ...all, [name]: '' });
    expect(notices).toEqual([expect.stringContaining(`${name} is not set`)]);
  });

  it('is said of what needs two variables', () => {
    const { notices } = readConfig({ ...production, ...all, CRON_SECRET: '', OBSERVER: 'on' });
    expect(notices).toContainEqual(expect.stringContaining('nothing is reconciled'));
    expect(notices).toContainEqual(expect.stringContaining('OBSERVER is on and SCHEDULER is off'));
  });
});

describe('.env.example', () => {
  const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  const documented = [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)];
  const understood = [...read('server/config.ts').matchAll(/^ {2}([A-Z_]+): /gm)];
  /** Only docker compose reads it, and puts it into MONGODB_URI. */
  const ofComposeAlone = 'MONGO_PASSWORD';

  it('names every variable that the service or docker compose reads, once, and no other', () => {
    const names = documented.map(([, name]) => name);
    expect(documented.length).toBeLessThanOrEqual(30);
    expect([...names].sort()).toEqual([ofComposeAlone, ...understood.map(([, name]) => name)].sort());
  });

  it('is accepted by the service once it names a database', () => {
    const env = Object.fromEntries(documented.map(([, name, value]) => [name, value]));
    expect(() => readConfig(env)).toThrow(/1 fault.*\n.*MONGODB_URI/);
    expect(readConfig({ ...env, MONGODB_URI: least.MONGODB_URI })).toMatchObject({ port: 8080 });
  });
});
