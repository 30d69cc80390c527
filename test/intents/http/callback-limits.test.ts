import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { limitWindowModel } from '../../../server/limits/window-store.js';
import { intentsFixture, second } from '../../fixtures/intents/intents-over-http.js';
import { waitFor } from '../../support/wait-for.js';

const fixture = await intentsFixture({ anchors: ['harbour', 'squall', 'galleon'], realTime: true });
const { points } = rateLimitClasses.callback;
const { points: badPoints } = rateLimitClasses.default;

let count = 0;

function bodyOf(id: string, status = 'pending_anchor'): string {
  return JSON.stringify({ transaction: { id, kind: 'withdrawal', status } });
}

async function send(intentHash: string, body: string, signature: string | undefined, address: string) {
  const signed = signature === undefined ? {} : { signature };
  return fixture.callBack(intentHash, body, { 'x-forwarded-for': address, ...signed });
}

const signatureOf = (anchorId: string, body: string) => fixture.signed(body, anchorId).signature;

const limitOf = (headers: Headers) => [
  Number(headers.get('x-ratelimit-limit')),
  Number(headers.get('x-ratelimit-remaining')),
];

it('takes 150 callbacks of an anchor from one address within a minute, and counts them per anchor', async () => {
  const { intentHash, id } = await attached('harbour');
  const body = bodyOf(id);
  for (let n = 1; n <= 150; n += 1) {
    const { status, headers } = await send(intentHash, body, signatureOf('harbour', body), '198.51.100.1');
    expect([status, ...limitOf(headers)]).toEqual([200, points, points - n]);
  }
  const elsewhere = await send(intentHash, body, signatureOf('harbour', body), '198.51.100.2');
  expect(limitOf(elsewhere.headers)).toEqual([points, points - 151]);
});

it('refuses an anchor beyond its limit without changing the intent, while another anchor is taken', async () => {
  const harbour = await attached('galleon');
  const squall = await attached('squall');
  // All but one of the anchor's points are used up elsewhere, before this instance draws any.
  const expire = new Date(Date.now() + 60_000);
  const usedUp = { key: 'callback|galleon', points: points - 1, expire };
  await limitWindowModel(fixture.app.connection).create(usedUp);
  const first = bodyOf(harbour.id);
  await send(harbour.intentHash, first, signatureOf('galleon', first), '198.51.100.3');
  await fixture.pass(second);
  const body = bodyOf(harbour.id, 'pending_external');
  const refused = await send(harbour.intentHash, body, signatureOf('galleon', body), '198.51.100.3');
  expect(refused.status).toBe(429);
  expect(limitOf(refused.headers)).toEqual([points, 0]);
  expect((await fixture.read(harbour.intentHash)).transaction?.status).toBe('pending_anchor');
  const other = bodyOf(squall.id);
  const taken = await send(squall.intentHash, other, signatureOf('squall', other), '198.51.100.3');
  expect(taken.status).toBe(200);
});

describe('callbacks that are not verified', () => {
  it('are counted per address, take nothing from the anchor, and do not lock it out of a shared address', async () => {
    const { intentHash, id } = await attached('squall');
    const body = bodyOf(id);
    const before = await send(intentHash, body, signatureOf('squall', body), '198.51.100.4');
    const attempts = [
      () => send(intentHash, body, undefined, '198.51.100.5'),
      () => send(intentHash, body, signatureOf('harbour', body), '198.51.100.5'),
      () => send('0'.repeat(64), body, signatureOf('squall', body), '198.51.100.5'),
      () => send(intentHash, '[]', undefined, '198.51.100.5'),
    ];
    const statuses = [];
    for (let n = 0; n < badPoints; n += 1) {
      const answer = await (attempts[n % attempts.length] as (typeof attempts)[number])();
      expect(limitOf(answer.headers)).toEqual([badPoints, badPoints - 1 - n]);
      statuses.push(answer.status);
    }
    expect(new Set(statuses)).toEqual(new Set([403, 404, 400]));
    for (const attempt of attempts) expect((await attempt()).status).toBe(429);

    const other = await send(intentHash, body, undefined, '198.51.100.6');
    expect(other.status).toBe(403);
    await fixture.pass(second);
    const genuine = bodyOf(id, 'pending_external');
    const after = await send(intentHash, genuine, signatureOf('squall', genuine), '198.51.100.5');
    expect([after.status, after.body.applied]).toEqual([200, true]);
    expect(limitOf(after.headers)[1]).toBe((limitOf(before.headers)[1] ?? 0) - 1);
  });

  /** An address that has used up its limit, from which the anchor calls all the same. */
  async function usedUp(address: string) {
    const { intentHash, id } = await attached('harbour');
    const body = bodyOf(id);
    for (let n = 0; n <= badPoints; n += 1) await send(intentHash, body, undefined, address);
    const genuine = () => send(intentHash, body, signatureOf('harbour', body), address);
    expect((await genuine()).status).toBe(200);
    return { intentHash, genuine };
  }
  const head = (address: string, line: string, ...more: string[]) =>
    [`${line} HTTP/1.1`, 'Host: localhost', `X-Forwarded-For: ${address}`, ...more, '', ''].join('\r\n');
  const json = 'Content-Type: application/json';

  /** Opens a connection and sends this. */
  function sending(text: string): Socket {
    const socket = connect(fixture.app.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(text);
    return socket;
  }

  it('are processed only a few at a time once their address has used up its limit', async () => {
    const address = '198.51.100.7';
    const { intentHash, genuine } = await usedUp(address);
    // Each of these occupies one of the four places while its body is awaited.
    const begun = `${head(address, `POST /api/intent/${intentHash}/status`, json, 'Content-Length: 100')}{`;
    const unfinished = [1, 2, 3, 4].map(() => sending(begun));
    await waitFor(async () => expect((await genuine()).status).toBe(429));
    for (const socket of unfinished) socket.destroy();
    await waitFor(async () => expect((await genuine()).status).toBe(200));
  });

  it('hold no place for good where their connection closes before their answers have their turn', async () => {
    const address = '198.51.100.8';
    const { intentHash, genuine } = await usedUp(address);
    // A stream does not end, so requests sent after it on the same connection are never answered.
    const socket = sending(head(address, `GET /api/intent/${intentHash}/stream`));
    await once(socket, 'data');
    const post = head(address, `POST /api/intent/${intentHash}/status`, json, 'Content-Length: 2');
    socket.write(`${post}{}`.repeat(4));
    await delay(500);
    socket.destroy();
    await waitFor(async () => {
      for (let n = 0; n < 3; n += 1) expect((await genuine()).status).toBe(200);
    });
  });
});

async function attached(anchorId: string) {
  count += 1;
  const anchorTransactionId = `tx-${count}`;
  const { body } = await fixture.post(fixture.terms({ anchorId, anchorTransactionId }));
  return { intentHash: body.intentHash, id: anchorTransactionId };
}
