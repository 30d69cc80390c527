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
import { type Outbound, OutboundError, type OutboundOptions } from '../../../server/outbound/outbound.js';
import { outboundCalls, outcomeOf } from '../../fixtures/outbound/calls.js';
import { selfSigned } from './name-server.js';

const { connector } = outboundCalls();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function start(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

const limits = { timeoutMs: 2_000, maxBytes: 10_000 };

describe('a listed http origin', () => {
  async function served(handler: RequestListener, options: Partial<OutboundOptions> = {}) {
    const origin = `http://127.0.0.1:${await start(createHttp(handler))}`;
    const call = connector({ allow: [origin], ...options });
    const request = (changes: Partial<Parameters<Outbound>[0]> = {}) =>
      call({ url: origin, ...limits, ...changes });
    return { origin, request };
  }

  it('receives method, path, query, headers and the bytes of the body unchanged', async () => {
    let got: IncomingMessage | undefined;
    const { origin, request } = await served((req, res) => {
      got = req;
      res.writeHead(201, { 'X-Answer': ['a', 'b'], 'Set-Cookie': ['c=1', 'd=2'] });
      req.pipe(res);
    });
    const body = Uint8Array.from([0, 255, 128, 10, 13]);
    const headers = { 'Content-Type': 'application/json', 'X-Signature': 'abc' };
    const answer = await request({ url: `${origin}/hook?a=1&b=%20#fragment`, method: 'POST', headers, body });
    expect(got).toMatchObject({ method: 'POST', url: '/hook?a=1&b=%20' });
    expect(got?.headers).toMatchObject({
      host: origin.slice(7),
      'content-type': 'application/json',
      'x-signature': 'abc',
      'content-length': '5',
      'user-agent': 'Fairlead',
    });
    expect([...answer.body]).toEqual([...body]);
    expect(answer).toMatchObject({ status: 201, truncated: false });
    expect(answer.headers).toMatchObject({ 'x-answer': 'a, b', 'set-cookie': 'c=1, d=2' });
    expect(answer.elapsedMs).toBeGreaterThan(0);
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['identity', (body: Buffer) => body],
  ])('is decoded when it answers in %s', async (coding, compress) => {
    const plain = Buffer.from('price '.repeat(1_000));
    const { request } = await served((_req, res) =>
      res.writeHead(200, { 'Content-Encoding': coding }).end(compress(plain)),
    );
    expect((await request()).body.equals(plain)).toBe(true);
  });

  it.each([
    [204, {}],
    [304, {}],
    [200, { 'Content-Length': 0 }],
    [200, { 'Transfer-Encoding': 'chunked' }],
  ])('is read as empty when it names a coding but has no body (%i %j)', async (status, headers) => {
    const { request } = await served((_req, res) =>
      res.writeHead(status, { 'Content-Encoding': 'gzip', ...headers }).end(),
    );
    expect(await request()).toMatchObject({ status, truncated: false });
  });

  it('keeps its connection for further calls, and has a new one where it was closed meanwhile', async () => {
    const ports: (number | undefined)[] = [];
    let closes = false;
    const { request } = await served((req, res) => {
      ports.push(req.socket.remotePort);
      res.end('ok', () => closes && res.socket?.destroy());
    });
    for (let call = 0; call < 5; call += 1) {
      await request();
      await setImmediate();
    }
    expect(new Set(ports).size).toBe(1);
    closes = true;
    for (let call = 1; call <= 20; call += 1) {
      expect((await request()).status).toBe(200);
      expect(ports).toHaveLength(5 + call);
    }
  });

  it('is called in parallel, up to maxConcurrent exchanges', async () => {
    const seen = { now: 0, most: 0 };
    const { request } = await served(
      (_req, res) => {
        seen.now += 1;
        seen.most = Math.max(seen.most, seen.now);
        setTimeout(() => {
          seen.now -= 1;
          res.end('ok');
        });
      },
      { maxConcurrent: 4 },
    );
    const answers = await Promise.all(Array.from({ length: 40 }, () => request()));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(seen.most).toBeLessThanOrEqual(4);
  });

  it('may be a name that resolves to any address, one that the system knows, or every port of loopback', async () => {
    const port = await start(createHttp((req, res) => res.end(req.headers.host)));
    const named = `http://anchor.internal:${port}`;
    const request = connector({ allow: [named], lookup: async () => ['127.0.0.1'] });
    expect((await request({ url: named, ...limits })).body.toString()).toBe(`anchor.internal:${port}`);
    const local = `http://localhost:${port}`;
    expect(await outcomeOf(connector({ allow: [local] })({ url: local, ...limits }))).toBe(200);
    const url = `http://127.0.0.1:${port}`;
    expect(await outcomeOf(connector({ allow: ['http://127.0.0.1:*'] })({ url, ...limits }))).toBe(200);
  });

  it.each([
    ['a header that shapes the connection', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['a header with a line break', { headers: { 'X-A': 'a\r\nX-B: b' } }],
    ['an invalid header name', { headers: { 'X A': 'a' } }],
  ])('is not called with %s, which is a mistake of ours', async (_what, mistake) => {
    let calls = 0;
    const { request } = await served((_req, res) => {
      calls += 1;
      res.end();
    });
    await expect(request(mistake)).rejects.not.toBeInstanceOf(OutboundError);
    expect(calls).toBe(0);
  });
});

describe('a listed https origin', () => {
  const name = 'anchor.internal';
  const named = selfSigned(`DNS:${name}`, 'IP:127.0.0.1');

  async function served(certificate: { key: string; cert: string }, ca = certificate.cert, host = name) {
    const servernames: unknown[] = [];
    const server = createHttps(certificate, (req, res) => {
      servernames.push((req.socket as TLSSocket & { servername?: unknown }).servername);
      res.end(req.headers.host);
    });
    const url = `https://${host}:${await start(server)}`;
    const request = connector({
      allow: [url],
      lookup: async () => ['127.0.0.1'],
      ...(ca === '' ? {} : { ca }),
    });
    return { url, servernames, call: () => request({ url, ...limits }) };
  }

  it('receives the name in SNI and Host although the connection goes to a vetted address', async () => {
    const { url, servernames, call } = await served(named);
    expect(`https://${(await call()).body}`).toBe(url);
    expect(servernames).toEqual([name]);
  });

  it('has its certificate checked against its address if it is an IP address, and gets no SNI', async () => {
    const { servernames, call } = await served(named, named.cert, '127.0.0.1');
    expect((await call()).status).toBe(200);
    expect(servernames).toEqual([false]);
  });

  it.each([
    ['an unknown authority', named, ''],
    ['another name', selfSigned('DNS:other.internal'), undefined],
  ])('is unreachable with a certificate of %s, and receives no request', async (_what, certificate, ca) => {
    const { servernames, call } = await served(certificate, ca);
    await expect(call()).rejects.toMatchObject({ failure: 'unreachable' });
    expect(servernames).toEqual([]);
  });
});
