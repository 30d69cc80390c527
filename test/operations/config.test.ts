import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig } from '../../server/config.js';

const least = { MONGODB_URI: 'mongodb://127.0.0.1/fairlead?replicaSet=rs0', FLEET_FILE: 'fleet.json' };
const production = { ...least, NODE_ENV: 'production', WEBHOOK_KEY: 'a'.repeat(64) };

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
  it('needs a database and a fleet, and has a default for everything else', () => {
    expect(readConfig(least)).toMatchObject({
      port: 8080,
      publicUrl: 'http://127.0.0.1:8080',
      scheduler: true,
      adminKeys: [],
      webhookKey: undefined,
    });
  });

  it('drains for ten seconds in production, and elsewhere not at all, unless it is told how long', () => {
    expect(readConfig(least).drainSeconds).toBe(0);
    expect(readConfig(production).drainSeconds).toBe(10);
    expect(readConfig({ ...production, DRAIN_SECONDS: '0' }).drainSeconds).toBe(0);
    expect(faults({ ...least, DRAIN_SECONDS: '601' })).toContain('must be from 0 to 600');
  });

  it('lists every fault in one error', () => {
    const message = faults({
      PORT: 'web',
      TRUST_PROXY: '10.0.0.0/8,office',
      OUTBOUND_ALLOW: 'intranet',
      SCHEDULER: 'yes',
    });
    for (const name of ['MONGODB_URI', 'FLEET_FILE', 'PORT', 'TRUST_PROXY', 'OUTBOUND_ALLOW', 'SCHEDULER']) {
      expect(message).toContain(name);
    }
    expect(message).toContain('"office"');
  });

  it('observes no anchor unless it is asked to', () => {
    expect(readConfig(least).observer).toBe(false);
    expect(readConfig({ ...least, OBSERVER: 'on' }).observer).toBe(true);
    const { notices } = readConfig({ ...least, OBSERVER: 'on', SCHEDULER: 'off' });
    expect(notices).toContainEqual(expect.stringContaining('OBSERVER is on and SCHEDULER is off'));
  });

  it('lists faults of single variables and of combinations in the same error', () => {
    const message = faults({
      NODE_ENV: 'production',
      PORT: 'web',
      MONGODB_URI: 'mongodb://127.0.0.1/?replicaSet=rs0',
      ADMIN_SECRET_KEY: 'short',
      CRON_SECRET: 'one,two,three',
    });
    const named = ['FLEET_FILE', 'PORT', 'MONGODB_URI', 'WEBHOOK_KEY', 'ADMIN_SECRET_KEY', 'CRON_SECRET'];
    for (const name of named) expect(message).toContain(name);
  });

  it.each([
    'mongodb://127.0.0.1',
    'mongodb://127.0.0.1/',
    'mongodb://127.0.0.1:27017/?replicaSet=rs0',
    'mongodb+srv://user:password@cluster.example/?w=majority',
  ])('requires a database name: %s', (uri) => {
    expect(faults({ ...least, MONGODB_URI: uri })).toContain('must name a database');
  });

  it.each([
    'mongodb://a:1,b:2/fairlead?replicaSet=rs0',
    'mongodb+srv://user:password@cluster.example/fairlead',
  ])('finds the database name in %s', (uri) => {
    expect(readConfig({ ...least, MONGODB_URI: uri }).mongodbUri).toBe(uri);
  });

  it('refuses an address of Horizon to which no path can be appended, and calls that of RPC unchanged', () => {
    for (const HORIZON_URL of ['https://horizon.example/?apikey=1', 'https://horizon.example/#a']) {
      expect(() => readConfig({ ...production, HORIZON_URL })).toThrow('HORIZON_URL');
    }
    const LEDGER_RPC_URL = 'https://rpc.example/key/';
    expect(JSON.stringify(readConfig({ ...production, LEDGER_RPC_URL }))).toContain(`"${LEDGER_RPC_URL}"`);
  });

  it('lists what is off because it is not configured', () => {
    const all = {
      PUBLIC_URL: 'https://rates.example',
      ADMIN_SECRET_KEY: 'a'.repeat(24),
      CRON_SECRET: 'c'.repeat(24),
      PUBLISHER_SECRET_KEY: 'b'.repeat(64),
      LEDGER_RPC_URL: 'https://rpc.example',
    };
    const horizon = { ...all, LEDGER_RPC_URL: '', HORIZON_URL: 'https://horizon.example' };
    expect(readConfig({ ...production, ...horizon }).notices).toEqual([]);
    expect(readConfig({ ...production, ...all }).notices).toEqual([]);
    for (const name of Object.keys(all)) {
      const { notices } = readConfig({ ...production, SCHEDULER: 'on', ...all, [name]: '' });
      expect(notices).toEqual([expect.stringContaining(`${name} is not set`)]);
    }
    expect(readConfig({ ...production, ...all, CRON_SECRET: '' }).notices).toContainEqual(
      expect.stringContaining('nothing is reconciled'),
    );
  });

  it('takes another port for the metrics, but not the same', () => {
    expect(readConfig({ ...least, METRICS_PORT: '9090' })).toMatchObject({ port: 8080, metricsPort: 9_090 });
    expect(readConfig(least).metricsPort).toBeUndefined();
    expect(faults({ ...least, METRICS_PORT: '8080' })).toContain('METRICS_PORT must be another port');
    expect(faults({ ...least, PORT: '9090', METRICS_PORT: '9090' })).toContain('METRICS_PORT');
    expect(faults({ ...least, METRICS_PORT: '99999' })).toContain('METRICS_PORT must be a port number');
  });

  it('treats an empty variable as unset', () => {
    expect(readConfig({ ...least, PORT: '', ADMIN_SECRET_KEY: '' })).toMatchObject({
      port: 8080,
      adminKeys: [],
    });
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:8080'],
    ['::', 'http://[::]:8080'],
  ])('derives the public address from HOST %s', (host, url) => {
    expect(readConfig({ ...least, HOST: host }).publicUrl).toBe(url);
  });

  it.each(['https://a.example/?env=prod', 'https://a.example/#', 'https://name:word@a.example'])(
    'refuses a public address that no path can be appended to: %s',
    (url) => {
      expect(faults({ ...least, PUBLIC_URL: url })).toContain('PUBLIC_URL must have no query');
      expect(faults({ ...least, PUBLIC_URL: 'https://a.example/rates/' })).toBe('');
    },
  );

  it.each([
    ['HTTPS://RATES.Example:443', 'https://rates.example'],
    ['https://bücher.example/api/', 'https://xn--bcher-kva.example/api'],
    ['http://rates.example:8080/', 'http://rates.example:8080'],
  ])(
    'hands out the public address %s in the form over whose host callbacks are verified',
    (url, handedOut) => {
      expect(readConfig({ ...least, PUBLIC_URL: url }).publicUrl).toBe(handedOut);
    },
  );

  it('accepts two secrets during a rotation, and no third', () => {
    expect(readConfig({ ...least, CRON_SECRET: 'one, two' }).cronSecrets).toEqual(['one', 'two']);
    expect(faults({ ...least, CRON_SECRET: 'one,two,three' })).toContain('CRON_SECRET');
  });
});

describe('in production', () => {
  it('leaves the scheduler off unless it is turned on', () => {
    expect(readConfig(production).scheduler).toBe(false);
    expect(readConfig({ ...production, SCHEDULER: 'on' }).scheduler).toBe(true);
  });

  it('refuses a short secret or a missing WEBHOOK_KEY at start', () => {
    for (const name of ['ADMIN_SECRET_KEY', 'CRON_SECRET', 'METRICS_TOKEN'])
      expect(faults({ ...production, [name]: 'short' })).toContain(
        `${name} must have at least 24 characters`,
      );
    expect(faults({ ...least, NODE_ENV: 'production' })).toContain('WEBHOOK_KEY');
  });

  it.each([
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/8,0.0.0.0/1,128.0.0.0/1',
    '128.0.0.0/1',
    '0.0.0.0/2, 64.0.0.0/3, 96.0.0.0/3, 64.0.0.0/8',
    '2000::/4',
    '2000::/5,2800::/5',
    '::/1',
    '0.0.0.0/2',
  ])('refuses a TRUST_PROXY that holds a large part of the internet: %s', (TRUST_PROXY) => {
    expect(faults({ ...production, TRUST_PROXY })).toContain('TRUST_PROXY holds a range wider than /7');
    expect(faults({ ...production, TRUST_PROXY, PORT: 'web' })).toMatch(/2 fault[\s\S]*TRUST_PROXY/);
    expect(faults({ ...least, TRUST_PROXY })).toBe('');
  });

  it.each(['10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7', '104.16.0.0/13,2606:4700::/32', ''])(
    'accepts the proxies of one operator: %s',
    (TRUST_PROXY) => {
      expect(faults({ ...production, TRUST_PROXY })).toBe('');
    },
  );

  it('repeats no secret in an error', () => {
    expect(faults({ ...production, ADMIN_SECRET_KEY: 'hunter2', WEBHOOK_KEY: 'hunter2' })).not.toContain(
      'hunter2',
    );
  });
});
