import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type ConnectDeps, connectVetted, isVettedPeer } from '../../../server/outbound/connect.js';
import { type Outbound, OutboundError } from '../../../server/outbound/outbound.js';
import { originsOfOperator } from '../../../server/outbound/vet-url.js';
import { answering, type Listener, outboundCalls, outcomeOf } from '../../fixtures/outbound/calls.js';
import { expectFor } from '../../support/expect-for.js';
import vectors from '../../vectors/outbound-addresses.json' with { type: 'json' };

const { connector, listening } = outboundCalls();
const ok = answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
const limits = { timeoutMs: 1_000, maxBytes: 100 };

/** No connection may reach `secret`. `open` stands for a permitted host. */
let secret: Listener;
let open: Listener;
beforeEach(async () => {
  [secret, open] = [await listening(ok), await listening(ok)];
});

const urlOf = ({ port }: Listener) => `http://127.0.0.1:${port}`;
const failureOf = (request: Outbound, url: string) => outcomeOf(request({ url, ...limits }));

function expectUntouched(listener: Listener) {
  expect(listener.seen).toMatchObject({ connections: 0, bytesIn: 0 });
}

describe('a listener on loopback that is not in OUTBOUND_ALLOW', () => {
  it('sees no connection for any spelling of its address, any scheme or port', async () => {
    const request = connector({ allow: [`http://127.0.0.1:${open.port}`] });
    for (const host of [...vectors.spellings.blocked, ...vectors.spellings.invalid]) {
      const { port } = secret;
      for (const url of [`https://${host}:${port}/`, `http://${host}:${port}/`, `https://${host}/`])
        expectFor(url, ['blocked', 'invalid_url']).toContain(await failureOf(request, url));
    }
    expectUntouched(secret);
  });

  it.each([
    ['loopback', ['127.0.0.1']],
    ['loopback behind a public address', ['93.184.215.14', '127.0.0.1']],
    ['loopback before a public address', ['127.0.0.1', '93.184.215.14']],
    ['loopback over IPv6', ['::1']],
    ['mapped loopback', ['::ffff:127.0.0.1']],
    ['a scoped address', ['fe80::1%lo']],
    ['the metadata service', ['169.254.169.254']],
    ['any address of this machine', ['0.0.0.0']],
  ])('sees no connection for a name that resolves to %s', async (_what, addresses) => {
    const request = connector({ lookup: async () => addresses });
    expect(await failureOf(request, 'https://anchor.example/')).toBe('blocked');
    expectUntouched(secret);
  });

  it('sees no connection for localhost names, which are not even looked up', async () => {
    const lookup = jest.fn(async () => ['93.184.215.14']);
    const request = connector({ lookup });
    expect(await failureOf(request, 'https://localhost/')).toBe('blocked');
    expect(await failureOf(request, 'https://anchor.localhost/')).toBe('blocked');
    expect(lookup).not.toHaveBeenCalled();
  });

  it('sees no connection after a redirect, which is not followed', async () => {
    const location = urlOf(secret);
    for (const status of [301, 302, 303, 307, 308]) {
      const text = `HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
      const url = urlOf(await listening(answering(text)));
      const answer = await connector({ allow: [url] })({ url, ...limits });
      expect(answer).toMatchObject({ status, headers: { location } });
    }
    expectUntouched(secret);
  });

  it('sees no connection when proxy variables name it', async () => {
    // The runner puts the environment back after the file.
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'])
      process.env[name] = urlOf(secret);
    process.env.NODE_USE_ENV_PROXY = '1';
    expect(await failureOf(connector({ allow: [urlOf(open)] }), urlOf(open))).toBe(200);
    expectUntouched(secret);
  });

  it('is not reached through a connection that is kept for a listed origin', async () => {
    const request = connector({ allow: [urlOf(open)] });
    expect(await failureOf(request, urlOf(open))).toBe(200);
    const { port, seen } = open;
    const bytesBefore = seen.bytesIn;
    const hosts = ['localhost', '127.0.0.2', '[::ffff:127.0.0.1]', 'anchor.example'];
    for (const url of [...hosts.map((host) => `http://${host}:${port}/`), `https://127.0.0.1:${port}/`])
      expectFor(url, await failureOf(request, url)).toBe('blocked');
    expect(seen).toMatchObject({ connections: 1, bytesIn: bytesBefore });
  });

  it('is reached only by the connector that trusts its origin', async () => {
    const url = urlOf(secret);
    expect(await failureOf(connector(), url)).toBe('blocked');
    expectUntouched(secret);
    expect(await failureOf(connector({ allow: originsOfOperator([url]) }), url)).toBe(200);
  });
});

describe('a resolver whose answers change', () => {
  // 127.0.0.2 stands for the public host: the rules here refuse every other address.
  const refuse = (address: string) => (address === '127.0.0.2' ? undefined : 'refused');
  const name = (port: number, secure = false) => ({
    hostname: 'anchor.example',
    port,
    secure,
    literal: false,
    listed: false,
  });

  const { signal } = new AbortController();

  function answers(...list: string[][]): ConnectDeps & { lookup: ReturnType<typeof jest.fn> } {
    let turn = 0;
    return { refuse, lookup: jest.fn(async () => list[Math.min(turn++, list.length - 1)] ?? []) };
  }

  it('is asked once per connection, which goes to the address it gave, or to none if that is refused', async () => {
    const permitted = await listening(undefined, '127.0.0.2');
    const deps = answers(['127.0.0.2'], ['127.0.0.1']);
    const socket = await connectVetted(name(permitted.port), deps, signal);
    expect(socket.remoteAddress).toBe('127.0.0.2');
    expect(deps.lookup).toHaveBeenCalledTimes(1);
    socket.destroy();
    for (const secure of [false, true]) {
      const refused = connectVetted(name(secret.port, secure), deps, signal);
      await expect(refused).rejects.toMatchObject({ failure: 'blocked' });
    }
    expectUntouched(secret);
  });

  it('cannot hide a refused address behind an unreachable one that is tried first', async () => {
    const deps = answers(['127.0.0.2', '127.0.0.1']);
    await expect(connectVetted(name(secret.port), deps, signal)).rejects.toMatchObject({
      failure: 'blocked',
    });
    expectUntouched(secret);
  });

  it.each([[['127.0.0.1.']], [['localhost']], [['0x7f000001']], [['']]])(
    'is refused when it answers with something that is not an address: %j',
    async (list) => {
      const deps = { lookup: async () => list };
      const call = connectVetted({ ...name(secret.port), listed: true }, deps, signal);
      await expect(call).rejects.toMatchObject({
        failure: 'unreachable',
        message: 'the lookup returned something that is not an address',
      });
      expectUntouched(secret);
    },
  );

  it('may give several addresses; the first that answers is used', async () => {
    const deps: ConnectDeps = { lookup: async () => ['127.0.0.3', '127.0.0.4', '127.0.0.1'] };
    const socket = await connectVetted({ ...name(open.port), listed: true }, deps, signal);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });
});

describe('a call that was aborted before it connected', () => {
  it('never connects', async () => {
    const where = { hostname: '127.0.0.1', port: open.port, secure: false, literal: true, listed: true };
    const given = AbortSignal.abort(new OutboundError('timeout', 'too late'));
    const deps = { lookup: async () => [] };
    await expect(connectVetted(where, deps, given)).rejects.toMatchObject({ failure: 'timeout' });
    expectUntouched(open);
  });
});

describe('the peer of a connected socket', () => {
  it('is vetted only if it is one of the vetted addresses', () => {
    expect(isVettedPeer('93.184.215.14', ['8.8.8.8', '93.184.215.14'])).toBe(true);
    expect(isVettedPeer('::ffff:93.184.215.14', ['93.184.215.14'])).toBe(true);
    expect(isVettedPeer('127.0.0.1', ['93.184.215.14'])).toBe(false);
    expect(isVettedPeer('127.0.0.1', [])).toBe(false);
    expect(isVettedPeer(undefined, ['93.184.215.14'])).toBe(false);
  });
});
