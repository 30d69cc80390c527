import { once } from 'node:events';
import {
  createServer as createHttp,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createOutbound,
  type Outbound,
  OutboundError,
  type OutboundOptions,
} from '../../../server/outbound/outbound.js';
import { selfSigned } from '../../fixtures/outbound/certificate.js';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function outbound(options: OutboundOptions): Outbound {
  const made = createOutbound(options);
  closers.push(made.close);
  return made.request;
}

const limits = { timeoutMs: 2_000, maxBytes: 10_000 };

describe('a listed http origin', () => {
  async function served(handler: RequestListener) {
    const port = await start(createHttp(handler));
    const origin = `http://127.0.0.1:${port}`;
    return { origin, request: outbound({ allow: [origin] }) };
  }

  it('receives method, path, query, headers and body unchanged', async () => {
    let got: IncomingMessage | undefined;
    let body = '';
    const { origin, request } = await served((req, res) => {
      got = req;
      req.on('data', (chunk) => {
        body += chunk;
      });
      req.on('end', () =>
        res.writeHead(201, { 'X-Answer': ['a', 'b'], 'Set-Cookie': ['c=1', 'd=2'] }).end('{}'),
      );
    });
    const answer = await request({
      url: `${origin}/hook?a=1&b=%20#fragment`,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Signature': 'abc' },
      body: '{"a":"ü"}',
      ...limits,
    });
    expect(got).toMatchObject({ method: 'POST', url: '/hook?a=1&b=%20' });
    expect(got?.headers).toMatchObject({
      host: origin.slice(7),
      'content-type': 'application/json',
      'x-signature': 'abc',
      'content-length': '10',
      'user-agent': 'Fairlead',
    });
    expect(body).toBe('{"a":"ü"}');
    expect(answer).toMatchObject({ status: 201, truncated: false });
    expect(answer.headers).toMatchObject({ 'x-answer': 'a, b', 'set-cookie': 'c=1, d=2' });
    expect(answer.body.toString()).toBe('{}');
    expect(answer.elapsedMs).toBeGreaterThan(0);
    expect(answer.elapsedMs).toBeLessThan(limits.timeoutMs);
  });

  it('receives the bytes of a body unchanged', async () => {
    const { origin, request } = await served((req, res) => req.pipe(res));
    const body = Uint8Array.from([0, 255, 128, 10, 13]);
    const answer = await request({ url: origin, method: 'POST', body, ...limits });
    expect([...answer.body]).toEqual([...body]);
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['identity', (body: Buffer) => body],
  ])('is decoded when it answers in %s', async (coding, compress) => {
    const plain = Buffer.from('price '.repeat(1_000));
    const { origin, request } = await served((_req, res) =>
      res.writeHead(200, { 'Content-Encoding': coding }).end(compress(plain)),
    );
    expect((await request({ url: origin, ...limits })).body.equals(plain)).toBe(true);
  });

  it.each([
    [204, {}],
    [304, {}],
    [200, { 'Content-Length': 0 }],
    [200, { 'Transfer-Encoding': 'chunked' }],
  ])('is read as empty when it names a coding but has no body (%i %j)', async (status, headers) => {
    const { origin, request } = await served((_req, res) =>
      res.writeHead(status, { 'Content-Encoding': 'gzip', ...headers }).end(),
    );
    expect(await request({ url: origin, ...limits })).toMatchObject({ status, truncated: false });
  });

  it('keeps its connection for further calls', async () => {
    const ports = new Set<number | undefined>();
    const { origin, request } = await served((req, res) => {
      ports.add(req.socket.remotePort);
      res.end('ok');
    });
    for (let call = 0; call < 5; call += 1) {
      await request({ url: origin, ...limits });
      await setImmediate();
    }
    expect(ports.size).toBe(1);
  });

  it('is called over a new connection when the kept one was closed meanwhile', async () => {
    let calls = 0;
    const { origin, request } = await served((_req, res) => {
      calls += 1;
      // The connection closes right after the answer, without an announcement.
      res.end('ok', () => res.socket?.destroy());
    });
    for (let call = 1; call <= 20; call += 1) {
      expect((await request({ url: origin, ...limits })).status).toBe(200);
      expect(calls).toBe(call);
    }
  });

  it('is called in parallel, up to maxConcurrent exchanges', async () => {
    let now = 0;
    let most = 0;
    const port = await start(
      createHttp((_req, res) => {
        now += 1;
        most = Math.max(most, now);
        setTimeout(() => {
          now -= 1;
          res.end('ok');
        });
      }),
    );
    const url = `http://127.0.0.1:${port}`;
    const request = outbound({ allow: [url], maxConcurrent: 4 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => request({ url, ...limits })));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('may be a name that resolves to any address', async () => {
    const port = await start(createHttp((req, res) => res.end(req.headers.host)));
    const origin = `http://anchor.internal:${port}`;
    const request = outbound({ allow: [origin], lookup: async () => ['127.0.0.1'] });
    expect((await request({ url: origin, ...limits })).body.toString()).toBe(`anchor.internal:${port}`);
  });

  it('is looked up through the system, so localhost works', async () => {
    const port = await start(createHttp((_req, res) => res.end('ok')));
    const origin = `http://localhost:${port}`;
    expect((await outbound({ allow: [origin] })({ url: origin, ...limits })).status).toBe(200);
  });

  it.each([
    ['a header that shapes the connection', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['a header with a line break', { headers: { 'X-A': 'a\r\nX-B: b' } }],
    ['an invalid header name', { headers: { 'X A': 'a' } }],
    ['a body on a GET', { body: 'a' }],
    ['no time limit', { timeoutMs: 0 }],
    ['an infinite time limit', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['no size limit', { maxBytes: Number.POSITIVE_INFINITY }],
  ])('is not called with %s, which is a mistake of ours', async (_what, mistake) => {
    let calls = 0;
    const { origin, request } = await served((_req, res) => {
      calls += 1;
      res.end();
    });
    const call = request({ url: origin, ...limits, ...mistake });
    await expect(call).rejects.not.toBeInstanceOf(OutboundError);
    expect(calls).toBe(0);
  });
});

describe('a listed https origin', () => {
  const name = 'anchor.internal';
  const named = selfSigned({ dns: [name], ipv4: ['127.0.0.1'] });

  async function served(certificate: { key: string; cert: string }) {
    const servernames: unknown[] = [];
    const server = createHttps(certificate, (req, res) => {
      servernames.push((req.socket as TLSSocket & { servername?: unknown }).servername);
      res.end(req.headers.host);
    });
    return { port: await start(server), servernames };
  }

  it('receives the name in SNI and Host although the connection goes to a vetted address', async () => {
    const { port, servernames } = await served(named);
    const url = `https://${name}:${port}`;
    const request = outbound({ allow: [url], lookup: async () => ['127.0.0.1'], ca: named.cert });
    const answer = await request({ url, ...limits });
    expect(answer.body.toString()).toBe(`${name}:${port}`);
    expect(servernames).toEqual([name]);
  });

  it('has its certificate checked against its address if it is an IP address, and gets no SNI', async () => {
    const { port, servernames } = await served(named);
    const url = `https://127.0.0.1:${port}`;
    expect((await outbound({ allow: [url], ca: named.cert })({ url, ...limits })).status).toBe(200);
    expect(servernames).toEqual([false]);
  });

  it.each([
    ['an unknown authority', named, undefined],
    ['another name', selfSigned({ dns: ['other.internal'] }), 'own'],
  ])('is unreachable with a certificate of %s, and receives no request', async (_what, certificate, ca) => {
    const { port, servernames } = await served(certificate);
    const url = `https://${name}:${port}`;
    const request = outbound({
      allow: [url],
      lookup: async () => ['127.0.0.1'],
      ...(ca === undefined ? {} : { ca: certificate.cert }),
    });
    await expect(request({ url, ...limits })).rejects.toMatchObject({ failure: 'unreachable' });
    expect(servernames).toEqual([]);
  });
});
