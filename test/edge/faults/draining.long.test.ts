import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { type ServiceProcess, startServiceProcess } from '../../fixtures/edge/service-process.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
const rates = '/api/rates/usdc-ngn?amount=100';
const instances: ServiceProcess[] = [];

const anchors = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, anchors: ['harbour'] });
afterAll(async () => {
  await Promise.all(instances.map(({ end }) => end('SIGKILL')));
  await anchors?.stop();
});

async function start(drainSeconds: string): Promise<ServiceProcess> {
  const run = { mongodbUri: database.uri, simulated: anchors } as const;
  const instance = await startServiceProcess({ ...run, env: { DRAIN_SECONDS: drainSeconds } });
  instances.push(instance);
  return instance;
}

interface Answer {
  status: number | undefined;
  connection: string | undefined;
  /** Whether the connection had served a request before. */
  reused: boolean;
  body: string;
}

function ask(url: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (res) => {
      const { statusCode: status, headers } = res;
      const { reusedSocket: reused } = request;
      text(res).then((body) => resolve({ status, connection: headers.connection, reused, body }), reject);
    });
    request.once('error', reject);
  });
}

/** Keeps one connection open between its requests. */
const keepAlive = () => new Agent({ keepAlive: true, maxSockets: 1 });
/** Opens a connection for each request. */
const anew = () => new Agent({ keepAlive: false });

describe('an instance that is told to stop, and to drain first', () => {
  it('says that it is not ready, serves whoever comes all the same, and closes kept-alive connections', async () => {
    const instance = await start('4');
    const [inCache, inApp, late] = [keepAlive(), keepAlive(), keepAlive()];
    const unknown = `${instance.url}/api/intent/${'0'.repeat(64)}`;
    await waitFor(async () =>
      expect(await ask(`${instance.url}${rates}`, inCache)).toMatchObject({ status: 200, reused: true }),
    );
    expect(await ask(unknown, inApp)).toMatchObject({ status: 404, connection: 'keep-alive' });
    const stream = await fetch(`${instance.url}/api/rates/usdc-ngn/stream`);
    let streamEnded = false;
    const streamed = stream.text().then(() => {
      streamEnded = true;
    });

    const ended = instance.end('SIGTERM');
    await waitFor(async () =>
      expect(await ask(`${instance.url}/readyz`, anew())).toMatchObject({
        status: 503,
        body: expect.stringContaining('Not ready: stopping.'),
      }),
    );
    expect((await ask(`${instance.url}/healthz`, anew())).status).toBe(200);
    const closing = { connection: 'close', reused: true };
    expect(await ask(`${instance.url}${rates}`, inCache)).toMatchObject({ status: 200, ...closing });
    expect(await ask(unknown, inApp)).toMatchObject({ status: 404, ...closing });
    const post = await fetch(`${instance.url}/api/intent/offramp`, { method: 'POST', body: '{}' });
    expect([post.status, post.headers.get('connection')]).toEqual([415, 'close']);
    // The first answer closes a connection that was opened while the instance drains.
    const answers = [await ask(`${instance.url}${rates}`, late), await ask(`${instance.url}${rates}`, late)];
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, reused: false });
    expect(streamEnded).toBe(false);

    expect(await ended).toBe(0);
    await streamed;
    await expect(ask(`${instance.url}/healthz`, anew())).rejects.toThrow(/ECONNREFUSED/);
  }, 60_000);

  it('ends at once at the second signal', async () => {
    const instance = await start('600');
    const ended = instance.end('SIGTERM');
    await waitFor(async () => expect((await fetch(`${instance.url}/readyz`)).status).toBe(503));
    await delay(200);
    expect((await fetch(`${instance.url}/healthz`)).status).toBe(200);
    process.kill(instance.pid, 'SIGTERM');
    expect(await ended).toBe('SIGTERM');
  }, 60_000);
});
