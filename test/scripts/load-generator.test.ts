import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Clients, requestsOf } from '../../scripts/bench/lib/generator/requests.js';
import { type LoadOptions, startLoad } from '../../scripts/bench/lib/generator/run.js';

const servers: (Server | TcpServer)[] = [];

async function listen(server: Server | TcpServer): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (listener: RequestListener) => listen(createServer(listener));

afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

function load(origin: string, clients: Clients, options: Partial<LoadOptions> = {}) {
  const source = requestsOf({ path: '/read?a=1', headers: { accept: 'text/plain' } }, 'bench.test', clients);
  return startLoad(source, { origins: [origin], connections: 3, warmUpSeconds: 0, expect: 200, ...options });
}

async function run(running: ReturnType<typeof load>, seconds = 0.1) {
  await running.warm;
  return running.measure(seconds);
}

describe('the generator of load', () => {
  it('sends whole requests, and waits for every client that comes back before it counts', async () => {
    const seen = new Set<unknown>();
    const origin = await serve((request, response) => {
      seen.add(request.headers['x-forwarded-for']);
      const right = request.url === '/read?a=1' && request.headers.accept === 'text/plain';
      response.statusCode = right ? 200 : 400;
      response.end('yes');
    });
    const running = load(origin, { kind: 'returning', count: 400 });
    await running.warm;
    expect(seen.size).toBeGreaterThanOrEqual(398);
    const figures = await running.measure(0.1);
    expect(seen.size).toBe(400);
    expect(figures.answers).toBeGreaterThan(0);
    expect(figures.sent).toBeGreaterThan(figures.answers);
  });

  it('never names a new client twice', async () => {
    const seen: unknown[] = [];
    const origin = await serve((request, response) => {
      seen.push(request.headers['x-forwarded-for']);
      response.end('yes');
    });
    await run(load(origin, { kind: 'new' }));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('reads answers whose head and body arrive in pieces', async () => {
    const origin = await listen(
      createTcpServer({ noDelay: true }, (socket) => {
        socket.on('error', () => undefined);
        socket.on('data', async () => {
          for (const piece of ['HTTP/1.1 200 OK\r\nContent-Le', 'ngth: 5\r\n\r', '\nhe', 'llo']) {
            socket.write(piece);
            await delay(3);
          }
        });
      }),
    );
    const figures = await run(load(origin, { kind: 'new' }));
    expect(figures.bytesPerAnswer).toBe('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'.length);
  });

  it('fails when an answer has another status than expected', async () => {
    let answered = 0;
    const origin = await serve((_request, response) => {
      answered += 1;
      response.statusCode = answered === 20 ? 429 : 200;
      response.end('yes');
    });
    const failing = load(origin, { kind: 'one', address: '192.0.2.1' });
    await expect(run(failing, 5)).rejects.toThrow('an answer was 429, not 200');
  });

  it('fails when the server closes a connection', async () => {
    const origin = await serve((request, response) => {
      response.end('yes', () => request.socket.destroy());
    });
    await expect(run(load(origin, { kind: 'new' }), 5)).rejects.toThrow('the server closed a connection');
  });

  it('fails when an answer does not say its length', async () => {
    const origin = await serve((_request, response) => {
      response.write('one');
      response.end('two');
    });
    await expect(run(load(origin, { kind: 'new' }), 5)).rejects.toThrow('an answer that cannot be read');
  });

  it('counts at a constant rate from when a request was due, so that a stalled server shows', async () => {
    let stalled: Promise<unknown> = Promise.resolve();
    const origin = await serve(async (_request, response) => {
      await stalled;
      response.end('yes');
    });
    const running = load(origin, { kind: 'new' }, { perSecond: 200, connections: 1 });
    await running.warm;
    stalled = delay(200);
    // A single connection would have had one slow answer; about 40 requests were due meanwhile.
    const { p50Ms, answers } = await running.measure(0.35);
    expect(answers).toBeGreaterThan(10);
    expect(p50Ms).toBeGreaterThan(20);
  });
});
