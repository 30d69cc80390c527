import { Writable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { standardSecret } from '../../../contract/verification/verify-webhook.js';
import { createLogger } from '../../../server/logger.js';
import { webhooksFixture, webhooksPath } from '../../fixtures/webhooks/webhooks-over-http.js';
import { expectFor } from '../../support/expect-for.js';

const planted = ['planted secret one of this test', 'planted secret two of this test'] as const;
const lines: string[] = [];
const destination = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(chunk.toString());
    done();
  },
});
const fixture = await webhooksFixture({
  world: { logger: createLogger({ level: 'debug', destination }) },
  env: { LOG_LEVEL: 'debug' },
  respond: (response, { path }) =>
    response
      .writeHead(path === '/refuses' ? 422 : 200)
      .end(`${planted.join()} ${standardSecret(planted[0])}`),
});

it('a planted secret is not in any answer, error, metric, log line or document of the database', async () => {
  const answers: unknown[] = [];
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await fixture.admin<{ id?: string }>(method, path, body);
    answers.push(answer.body, [...answer.headers]);
    return answer;
  };
  const [first, second] = planted;
  for (const path of ['/takes', '/refuses']) {
    const url = fixture.receiver.origin + path;
    const { body } = await send('POST', webhooksPath, { url, events: ['publisher.tick'], secret: first });
    const own = `${webhooksPath}/${body.id}`;
    await send('POST', `${own}/secret`, { secret: second });
    await send('POST', `${own}/test`);
    await fixture.emitTick();
    await fixture.settled(body.id ?? '', 2);
    await send('GET', `${own}/deliveries`);
    await send('GET', own);
    // All of these are refused: a secret in the wrong place, of the wrong type, too long, or beside another fault.
    await send('PATCH', own, { secret: first });
    await send('POST', `${own}/secret`, { secret: [first] });
    await send('POST', `${own}/secret`, { secret: first.repeat(9) });
    await send('POST', `${own}/secret`, { secret: `${first}\n`, overlapSeconds: first });
    await send('POST', webhooksPath, { url: 'https://127.0.0.1/', events: [], secret: first });
    await send('POST', webhooksPath, `{"url": "x", "secret": "${first}"`);
    await send('GET', `${webhooksPath}/not-an-id`);
  }
  const unauthorised = await fixture.app.client.request('POST', webhooksPath, { body: { secret: first } });
  expect(unauthorised.status).toBe(401);
  const { body: metrics } = await fixture.app.client.request<string>('GET', '/metrics');
  const collections = (await fixture.app.connection.db?.collections()) ?? [];
  const documents = await Promise.all(collections.map((collection) => collection.find().toArray()));

  // Two to the one that takes them, of either event; what the other refuses is sent once more, signed with the other
  // secret of the rotation.
  expect(fixture.receiver.received).toHaveLength(7);
  const everything = {
    answers: JSON.stringify([...answers, unauthorised.body]),
    metrics,
    log: lines.join(''),
    database: mongo.BSON.EJSON.stringify(documents.flat()),
  };
  expect(everything.answers).toContain('[secret]');
  expect(everything.log).toContain('webhook disabled by its receiver');
  const forms = planted.flatMap((one) => [
    'planted secret',
    Buffer.from(one).toString('base64'),
    Buffer.from(one).toString('hex'),
  ]);
  for (const [where, text] of Object.entries(everything)) {
    expectFor(where, text.length).toBeGreaterThan(200);
    for (const form of forms) expectFor(`${form} in ${where}`, text.includes(form)).toBe(false);
  }
});
