import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from '@jest/globals';
import express, { type Request, type Response } from 'express';
import { listenOnLoopback } from '../../../scripts/lib/loopback-server.js';
import { ApiError } from '../../../server/errors.js';
import { senderOf } from '../../../server/http/send-json.js';
import { createStreams } from '../../../server/streams/streams.js';
import { waitFor } from '../../support/wait-for.js';

const meter = { opened: () => {}, closed: () => {}, refused: () => {} };

it('a service that is stopping opens no stream, not even one that was being prepared', async () => {
  const streams = createStreams({ max: 10, meter, random: () => 0.5 });
  const res = Object.assign(new EventEmitter(), { closed: false, locals: { clientKey: 'a' } });
  const req = { method: 'GET' } as Request;
  const request = { req, res: res as unknown as Response };
  const body = await streams.open(req, request.res, async () => () => undefined);
  streams.stop();
  await expect(senderOf(body)?.(req, request.res)).rejects.toMatchObject({
    code: 'NOT_READY',
    extras: { retryAfter: 2 },
  });
});

it('requests that a client sends without waiting leave no place taken and no stream fed once it is gone', async () => {
  const now = { opened: 0, closed: 0, fed: 0 };
  const streams = createStreams({
    max: 4,
    meter: { ...meter, opened: () => (now.opened += 1), closed: () => (now.closed += 1) },
    random: () => 0.5,
  });
  const app = express().get('/:corridor', async (req, res) => {
    res.locals.clientKey = 'a';
    try {
      const body = await streams.open(req, res, async () => {
        if (req.params.corridor === 'none') throw new ApiError('UNKNOWN_CORRIDOR', 'not served');
        return (stream) => {
          now.fed += 1;
          stream.onClose(() => (now.fed -= 1));
        };
      });
      await senderOf(body)?.(req, res);
    } catch (error) {
      const { status, code } = error as ApiError;
      res.status(status).json({ code });
    }
  });
  const server = await listenOnLoopback(app);
  const send = (...paths: string[]) => {
    const seen = { text: '' };
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1', () => {
      socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    });
    socket.on('data', (bytes) => {
      seen.text += bytes.toString();
    });
    return { seen, socket };
  };
  try {
    // The requests are sent on one connection without waiting for answers; the first waits for no other.
    const eager = send(...Array<string>(10).fill('/usdc-ngn'));
    await waitFor(() => expect(now).toEqual({ opened: 1, closed: 0, fed: 1 }));
    eager.socket.destroy();
    await waitFor(() => expect(now).toEqual({ opened: 1, closed: 1, fed: 0 }));
    const failed = send(...Array<string>(10).fill('/none'));
    await waitFor(() => expect(failed.seen.text.match(/"code"/g)).toHaveLength(10));
    expect(failed.seen.text).toMatch(/^HTTP\/1.1 404 /);
    expect(failed.seen.text.match(/INVALID_REQUEST/g)).toHaveLength(9);
    const patient = Array.from({ length: 4 }, () => send('/usdc-ngn'));
    for (const { seen } of patient) await waitFor(() => expect(seen.text).toMatch(/^HTTP\/1.1 200 /));
    for (const { socket } of [failed, ...patient]) socket.destroy();
    await waitFor(() => expect(now).toEqual({ opened: 5, closed: 5, fed: 0 }));
  } finally {
    await server.stop();
  }
});
