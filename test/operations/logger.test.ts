import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../../server/logger.js';
import type { Logger } from '../../server/ports.js';
import { expectNowhere } from '../fixtures/edge/planted.js';

const secret = 'a-secret-that-was-handed-to-the-log';

/** The text that a logger with this level writes. */
function written(use: (logger: Logger) => void, level = 'debug'): string {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  use(createLogger({ level, destination }));
  return lines.join('');
}

const names = [
  ...['secret', 'secrets', 'nonce', 'token', 'partnerToken', 'password', 'credentials'],
  ...['authorization', 'Authorization', 'proxy-authorization', 'cookie', 'set-cookie'],
  ...['x-admin-key', 'X-Admin-Key', 'adminKey', 'adminKeys', 'cronSecret', 'cronSecrets'],
  ...['ADMIN_SECRET_KEY', 'CRON_SECRET', 'WEBHOOK_KEY', 'PUBLISHER_SECRET_KEY', 'MONGODB_URI'],
  ...['webhookKey', 'publisherSecretKey', 'secretKey', 'mongodbUri'],
];

describe('a field with the name of a secret', () => {
  it.each(names)('is not written, at any depth: %s', (name) => {
    const text = written((logger) => {
      logger.info({ [name]: secret }, 'at the top');
      logger.warn({ headers: { [name]: secret } }, 'one down');
      logger.error({ request: { headers: { [name]: [secret] } } }, 'two down');
      logger.debug({ list: [{ deep: { deeper: { [name]: { value: secret } } } }] }, 'in a list');
    });
    expect(text.match(/"msg":/g)).toHaveLength(4);
    expectNowhere({ [name]: secret }, { log: text });
  });

  it('does not affect the fields beside it', () => {
    const fields = {
      webhookId: 'w',
      at: new Date(0),
      none: null,
      gone: undefined,
      list: [1, { token: secret }],
    };
    const line = JSON.parse(written((logger) => logger.info(fields, 'told')));
    expect(line).toMatchObject({ webhookId: 'w', at: '1970-01-01T00:00:00.000Z', none: null, msg: 'told' });
    expect(line.list[0]).toBe(1);
  });
});

describe('an error', () => {
  it('is written with its type, message and stack only', () => {
    const error = Object.assign(new TypeError('it failed'), {
      authorization: secret,
      request: { headers: { 'x-admin-key': secret } },
      config: secret,
    });
    const line = JSON.parse(written((logger) => logger.error({ err: error }, 'failed')));
    expect(Object.keys(line.err).sort()).toEqual(['message', 'stack', 'type']);
    expect(line.err).toMatchObject({ type: 'TypeError', message: 'it failed' });
    expect(JSON.stringify(line)).not.toContain(secret);
  });

  it('is written without a password in a URL in its message', () => {
    const error = new Error(`no route to mongodb://fairlead:${secret}@db.example:27017/fairlead`, {
      cause: new Error(`connect to https://user:${secret}@oracle.example/batches`),
    });
    const text = written((logger) => logger.error({ err: error }, 'failed'));
    expect(text).toContain('db.example');
    expect(text).not.toContain(secret);
  });

  it('is written without half a password if the cut goes through a URL', () => {
    const message = `${'x'.repeat(1_960)} mongodb://fairlead:${secret}@db.example/fairlead`;
    const line = JSON.parse(written((logger) => logger.error({ err: new Error(message) }, 'failed')));
    expect(JSON.stringify(line)).not.toContain(secret.slice(0, 8));
  });

  it('is cut if it is long', () => {
    const line = JSON.parse(
      written((logger) => logger.error({ err: new Error('x'.repeat(100_000)) }, 'failed')),
    );
    expect(line.err.message.length).toBeLessThanOrEqual(2_000);
    expect(line.err.stack.length).toBeLessThanOrEqual(4_000);
  });
});

describe('the log level', () => {
  it('leaves out lines below it', () => {
    const text = written((logger) => {
      logger.debug({}, 'of debug');
      logger.info({}, 'of info');
      logger.warn({}, 'of warn');
      logger.error({}, 'of error');
    }, 'warn');
    expect([...text.matchAll(/"level":"(\w+)"/g)].map(([, level]) => level)).toEqual(['warn', 'error']);
  });
});
