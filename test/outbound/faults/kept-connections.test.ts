import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createOutbound } from '../../../server/outbound/outbound.js';
import { answering, listen } from '../../fixtures/outbound/listener.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

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
    const call = async (method: 'GET' | 'POST') => {
      await setImmediate();
      return request({ url, method, timeoutMs: 1_000, maxBytes: 10 });
    };
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
