import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Dispatcher, request } from 'undici';
import { createConnectionPool } from '../../../server/outbound/connection-pool.js';
import { createOutbound } from '../../../server/outbound/outbound.js';
import type { Client } from '../../../server/outbound/undici-client.js';
import { vetUrl } from '../../../server/outbound/vet-url.js';
import { answering, listen } from '../../fixtures/outbound/listener.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** A request over this connection. */
function over(client: Client) {
  return { dispatcher: client as unknown as Dispatcher };
}

async function poolTo(behaviour: (socket: Socket) => void) {
  const listener = await listen(behaviour);
  const pool = createConnectionPool({ lookup: async () => [] });
  closers.push(listener.close, pool.close);
  const origin = `http://127.0.0.1:${listener.port}`;
  const target = vetUrl(origin, new Set([origin]));
  const exchange = async () => {
    const client = await pool.open(target, new AbortController().signal);
    const answer = await request(origin, over(client));
    return { client, text: await answer.body.text() };
  };
  return { pool, origin, listener, exchange };
}

describe('a connection that is kept', () => {
  it('serves only its own origin, and one call at a time', async () => {
    const { pool, origin, exchange } = await poolTo(answering(ok));
    const { client, text } = await exchange();
    expect(text).toBe('ok');
    pool.keep(origin, client);
    expect(pool.takeIdle('http://127.0.0.1:1')).toBeUndefined();
    expect(pool.takeIdle(origin)).toBe(client);
    expect(pool.takeIdle(origin)).toBeUndefined();
    await client.destroy();
  });

  it('is forgotten when the other side closes it', async () => {
    let theirs: Socket | undefined;
    const { pool, origin, exchange } = await poolTo((socket) => {
      theirs = socket;
      answering(ok)(socket);
    });
    const { client } = await exchange();
    pool.keep(origin, client);
    const gone = once(client, 'disconnect');
    theirs?.end();
    await gone;
    expect(pool.takeIdle(origin)).toBeUndefined();
  });

  it('is not kept if it was already closed', async () => {
    const { pool, origin, exchange } = await poolTo(answering((socket) => socket.end(ok)));
    const { client } = await exchange();
    await once(client, 'disconnect');
    pool.keep(origin, client);
    expect(pool.takeIdle(origin)).toBeUndefined();
  });

  it('is one of at most 16 per origin; further ones are closed', async () => {
    const { pool, origin, exchange } = await poolTo(answering(ok));
    const made = await Promise.all(Array.from({ length: 20 }, exchange));
    for (const { client } of made) pool.keep(origin, client);
    expect(made.filter(({ client }) => client.destroyed)).toHaveLength(4);
  });

  it('cannot reconnect after its socket has closed', async () => {
    const { exchange, listener, origin } = await poolTo(answering((socket) => socket.end(ok)));
    const { client } = await exchange();
    await once(client, 'disconnect');
    await expect(request(origin, over(client))).rejects.toThrow('the connection is closed');
    expect(listener.seen.connections).toBe(1);
  });
});

describe('a kept connection that the server closes on the next request', () => {
  /** Answers the first request of every connection and closes upon the second, read but not answered. */
  async function oneAnswerEach() {
    let requests = 0;
    const listener = await listen((socket) => {
      let here = 0;
      answering(() => {
        requests += 1;
        here += 1;
        if (here === 1) socket.write(ok);
        else socket.destroy();
      })(socket);
    });
    const url = `http://127.0.0.1:${listener.port}`;
    const { request, close } = createOutbound({ allow: [url] });
    closers.push(listener.close, close);
    const call = (method: 'GET' | 'POST') => request({ url, method, timeoutMs: 1_000, maxBytes: 10 });
    return { call, requests: () => requests };
  }

  it('makes a GET repeat over a new one', async () => {
    const { call, requests } = await oneAnswerEach();
    await call('GET');
    expect((await call('GET')).status).toBe(200);
    expect(requests()).toBe(3);
  });

  it('never makes a POST that was written repeat', async () => {
    const { call, requests } = await oneAnswerEach();
    await call('POST');
    await expect(call('POST')).rejects.toMatchObject({ failure: 'unreachable' });
    expect(requests()).toBe(2);
  });
});
