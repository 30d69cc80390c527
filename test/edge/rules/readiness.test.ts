import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import express from 'express';
import { createHealthRouter } from '../../../server/features/health/router.js';
import { errorMapper } from '../../../server/http/error-mapper.js';
import { silentLogger } from '../../support/silent-logger.js';

let pings = 0;
const app = express();
app.use(
  createHealthRouter({
    checks: {
      database: () => {
        pings += 1;
        // A database that does not answer: each round of checks ends after a second.
        return new Promise<boolean>(() => undefined);
      },
    },
    warnings: [],
    isStopping: () => false,
  }),
  errorMapper({ logger: silentLogger }),
);
const server = createServer(app);
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/readyz`;
});
afterAll(() => void server.close());

it('many who ask for readiness at once ask the database once', async () => {
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 40 }, () => fetch(url)));
  for (const { status } of answers) expect(status).toBe(503);
  // On a busy machine some requests arrive after the first round has ended.
  expect(pings).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 1_000);
});
