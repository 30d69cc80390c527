import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { streamedBody } from '../../../server/features/rate-history/router.js';
import { errorMapper } from '../../../server/http/error-mapper.js';
import { sendJson } from '../../../server/http/send-json.js';
import { silentLogger } from '../../support/silent-logger.js';
import { waitFor } from '../../support/wait-for.js';

/** Checks a body that is produced while it is sent, on a real socket, when either side ends it early. */
const logged: string[] = [];
let server: Server;
let url: string;
let chunks: () => AsyncGenerator<string>;

beforeAll(async () => {
  const app = express();
  const logger = { ...silentLogger, error: (_fields: object, message: string) => void logged.push(message) };
  app.use(sendJson({ begin: () => () => undefined }));
  app.get('/', (_req, res) => {
    res.json(streamedBody({ type: 'text/csv', version: 'of the test', chunks: () => chunks() }));
  });
  app.use(errorMapper({ logger }));
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  logged.length = 0;
});

describe('a streamed body', () => {
  it('that fails after its beginning ends the connection early, so that nobody takes it for whole', async () => {
    chunks = async function* failing() {
      yield 'first\r\n';
      throw new Error('of the test');
    };
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
    expect(logged).toEqual(['request failed']);
  });

  it('is made no further once its client has gone', async () => {
    let made = 0;
    let isEnded = false;
    chunks = async function* endless() {
      try {
        for (;;) {
          made += 1;
          yield 'x'.repeat(64 * 1_024);
        }
      } finally {
        isEnded = true;
      }
    };
    await new Promise<void>((resolve, reject) => {
      const asked = request(url, (answer) => {
        answer.once('data', () => {
          answer.destroy();
          resolve();
        });
        answer.on('error', () => undefined);
      });
      asked.on('error', reject).end();
    });
    await waitFor(() => expect(isEnded).toBe(true));
    expect(made).toBeLessThan(1_000);
    expect(logged).toEqual([]);
  });
});
