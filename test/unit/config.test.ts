import { describe, expect, it } from 'vitest';
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

  it('takes an empty variable for an unset one', () => {
    expect(readConfig({ ...least, PORT: '', ADMIN_SECRET_KEY: '' })).toMatchObject({
      port: 8080,
      adminKeys: [],
    });
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:8080'],
    ['::', 'http://[::]:8080'],
  ])('builds the public address on HOST %s', (host, url) => {
    expect(readConfig({ ...least, HOST: host }).publicUrl).toBe(url);
  });

  it('takes two secrets while one replaces the other, and no third', () => {
    expect(readConfig({ ...least, CRON_SECRET: 'one, two' }).cronSecrets).toEqual(['one', 'two']);
    expect(faults({ ...least, CRON_SECRET: 'one,two,three' })).toContain('CRON_SECRET');
  });
});

describe('in production', () => {
  it('the scheduler is off unless asked for', () => {
    expect(readConfig(production).scheduler).toBe(false);
    expect(readConfig({ ...production, SCHEDULER: 'on' }).scheduler).toBe(true);
  });

  it('a short secret or a missing WEBHOOK_KEY is a start-up error', () => {
    expect(faults({ ...production, ADMIN_SECRET_KEY: 'short' })).toContain('at least 24 characters');
    expect(faults({ ...least, NODE_ENV: 'production' })).toContain('WEBHOOK_KEY');
  });

  it('no fault repeats a secret', () => {
    expect(faults({ ...production, ADMIN_SECRET_KEY: 'hunter2', WEBHOOK_KEY: 'hunter2' })).not.toContain(
      'hunter2',
    );
  });
});
