import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createLogger, openLog } from '../../server/logger.js';
import type { Logger } from '../../server/ports.js';
import { expectNowhere } from '../fixtures/edge/nowhere.js';
import { waitFor } from '../support/wait-for.js';

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
const errorWritten = (err: Error) => JSON.parse(written((logger) => logger.error({ err }, 'failed')));

const names = [
  'secret secrets nonce token partnerToken password credentials authorization Authorization proxy-authorization',
  'cookie set-cookie x-admin-key X-Admin-Key adminKey adminKeys cronSecret cronSecrets ADMIN_SECRET_KEY CRON_SECRET',
  'WEBHOOK_KEY PUBLISHER_SECRET_KEY MONGODB_URI webhookKey publisherSecretKey secretKey mongodbUri',
].join(' ');

describe('what is written to the log', () => {
  it.each(names.split(' '))('has no field with the name of a secret, at any depth: %s', (name) => {
    const text = written((logger) => {
      logger.info({ [name]: secret }, 'at the top');
      logger.warn({ headers: { [name]: secret } }, 'one down');
      logger.error({ request: { headers: { [name]: [secret] } } }, 'two down');
      logger.debug({ list: [{ deep: { deeper: { [name]: { value: secret } } } }] }, 'in a list');
    });
    expect(text.match(/"msg":/g)).toHaveLength(4);
    expectNowhere({ [name]: secret }, { log: text });
  });

  it('has the fields beside it, and no line below the level', () => {
    const fields = { webhookId: 'w', at: new Date(0), none: null, list: [1, { token: secret }] };
    const text = written((logger) => {
      for (const level of ['debug', 'info', 'warn'] as const) logger[level](fields, level);
    }, 'warn');
    const line = JSON.parse(text);
    expect(line).toMatchObject({ webhookId: 'w', at: '1970-01-01T00:00:00.000Z', none: null });
    expect([line.level, line.msg, line.list[0]]).toEqual(['warn', 'warn', 1]);
  });

  it('has of an error its type, message and stack only', () => {
    const request = { headers: { 'x-admin-key': secret } };
    const planted = { authorization: secret, request, config: secret };
    const line = errorWritten(Object.assign(new TypeError('it failed'), planted));
    expect(Object.keys(line.err).sort()).toEqual(['message', 'stack', 'type']);
    expect(line.err).toMatchObject({ type: 'TypeError', message: 'it failed' });
    expect(JSON.stringify(line)).not.toContain(secret);
  });

  it('has no password of a URL in the message of an error, nor half of one where the message is cut', () => {
    const address = `mongodb://fairlead:${secret}@db.example:27017/fairlead`;
    const cause = new Error(`connect to https://user:${secret}@oracle.example/batches`);
    const text = JSON.stringify(errorWritten(new Error(`no route to ${address}`, { cause })));
    expect(text).toContain('db.example');
    expect(text).not.toContain(secret);
    const cut = JSON.stringify(errorWritten(new Error(`${'x'.repeat(1_960)} ${address}`)));
    expect(cut).not.toContain(secret.slice(0, 8));
    const { err } = errorWritten(new Error('x'.repeat(100_000)));
    expect(err.message.length).toBeLessThanOrEqual(2_000);
    expect(err.stack.length).toBeLessThanOrEqual(4_000);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'fairlead-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

let pipes = 0;
/** A log that writes to a pipe, which this process reads. */
function logToPipe(maxWaitingBytes = 100_000) {
  pipes += 1;
  const path = join(folder, `pipe-${pipes}`);
  execFileSync('mkfifo', [path]);
  const openReader = () => openSync(path, O_RDONLY | O_NONBLOCK);
  let reader = openReader();
  const fd = openSync(path, O_WRONLY | O_NONBLOCK);
  const { logger, output } = openLog({ level: 'info', fd, maxWaitingBytes });
  let text = '';
  return {
    output,
    write: (lines: number) => {
      for (let n = 0; n < lines; n += 1) logger.info({ n, padding: 'x'.repeat(900) }, 'line');
    },
    closeReader: () => closeSync(reader),
    reopenReader: () => {
      reader = openReader();
    },
    /** The lines read so far, after reading what the pipe holds now. */
    read: (): Record<string, unknown>[] => {
      const chunk = Buffer.alloc(65_536);
      for (;;) {
        let size = 0;
        try {
          size = readSync(reader, chunk);
        } catch {
          // EAGAIN: the pipe is empty.
        }
        if (size === 0) break;
        text += chunk.toString('utf8', 0, size);
      }
      const lines = text.split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

describe('a log whose reader has stopped reading', () => {
  it('drops and counts what does not fit, says so, and writes everything again when the reader goes on', async () => {
    const { write, output, read } = logToPipe();
    write(5_000);
    expect(output.fault()).toMatch(/cannot be written/);
    const dropped = output.droppedLines();
    // The buffer of 100 KB and the pipe of 64 KB hold fewer than 200 lines.
    expect(dropped).toBeGreaterThan(4_800);
    await waitFor(() => {
      read();
      expect(output.fault()).toBeUndefined();
    });
    write(1);
    const last = [{ level: 'warn', lines: dropped }, { n: 0 }];
    await waitFor(() => expect(read().slice(-2)).toMatchObject(last));
    expect(read().length - 2 + dropped).toBe(5_000);
    expect(output.droppedLines()).toBe(dropped);
  });

  it('is failing at the first line without one, and writes all lines when there is a reader again', async () => {
    const { write, output, read, closeReader, reopenReader } = logToPipe();
    closeReader();
    write(1_000);
    await waitFor(() => expect(output.fault()).toMatch(/cannot be written/));
    reopenReader();
    await waitFor(() => {
      read();
      expect(output.fault()).toBeUndefined();
    });
    await waitFor(() => expect(read().at(-1)).toMatchObject({ lines: output.droppedLines() }));
    expect(read().length - 1 + output.droppedLines()).toBe(1_000);
  });

  it('is flushed until every line is written, or until the time is over', async () => {
    const [quick, stuck] = [logToPipe(), logToPipe()];
    quick.write(50);
    await quick.output.flush(5_000);
    expect(quick.read()).toHaveLength(50);
    stuck.write(100);
    await stuck.output.flush(100);
    expect(stuck.output.droppedLines()).toBe(0);
    await waitFor(() => expect(stuck.read()).toHaveLength(100));
  });
});
