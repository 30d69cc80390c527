import { describe, expect, it } from '@jest/globals';
import { secret, webhooksFixture, webhooksPath } from '../../fixtures/webhooks/webhooks-over-http.js';

const fixture = webhooksFixture();
const body = { url: 'https://wallet.example/hook', events: ['intent.settled'], secret };
const create = (changes: Record<string, unknown> = {}) =>
  fixture.admin('POST', webhooksPath, { ...body, ...changes });

describe('201', () => {
  it('answers with the new webhook and its Location, enabled, and without its secret', async () => {
    const { status, body: answer, headers } = await create();
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${webhooksPath}/${answer.id}`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(answer).toMatchObject({
      url: body.url,
      events: ['intent.settled'],
      enabled: true,
      disabled: null,
      overlapEndsAt: null,
    });
    expect(JSON.stringify(answer)).not.toContain(secret);
    const read = await fixture.admin('GET', headers.get('location') ?? '');
    expect(read.body).toEqual(answer);
  });

  it('keeps each event once, in the order of the contract', async () => {
    const events = ['publisher.tick', 'intent.settled', 'publisher.tick'];
    expect((await create({ events })).body.events).toEqual(['intent.settled', 'publisher.tick']);
  });

  it('registers the same address again as another webhook', async () => {
    const [one, two] = [await create(), await create()];
    expect(one.body.id).not.toBe(two.body.id);
  });

  it('accepts an address that the operator lists in OUTBOUND_ALLOW', async () => {
    expect((await create({ url: `${fixture.receiver.origin}/hook` })).status).toBe(201);
  });
});

describe('400', () => {
  it.each([
    ['body.url', { url: 'http://wallet.example/' }],
    ['body.url', { url: 'https://127.0.0.1/' }],
    ['body.url', { url: 'https://2130706433/' }],
    ['body.url', { url: 'https://[::ffff:127.0.0.1]/' }],
    ['body.url', { url: 'https://localhost/' }],
    ['body.url', { url: 'https://wallet.example:8443/' }],
    ['body.url', { url: 'https://me:password@wallet.example/' }],
    ['body.url', { url: 'wallet.example' }],
    ['body.url', { url: `https://wallet.example/${'x'.repeat(2_048)}` }],
    ['body.url', { url: 7 }],
    ['body.events', { events: [] }],
    ['body.events.0', { events: ['intent.created'] }],
    ['body.events', { events: undefined }],
    ['body.secret', { secret: 'too short' }],
    ['body.secret', { secret: 'x'.repeat(257) }],
    ['body.secret', { secret: 'planted sécret of the test' }],
    ['body.secret', { secret: undefined }],
    ['body.enabled', { enabled: true }],
  ])('names %s in %j', async (path, changes) => {
    const { status, body: refusal } = await create(changes);
    expect(status).toBe(400);
    expect(refusal.code).toBe('INVALID_REQUEST');
    expect(refusal.details?.map((detail) => detail.path)).toContain(path);
    expect(JSON.stringify(refusal)).not.toMatch(/planted|password/);
  });

  it('is the answer without a body', async () => {
    for (const sent of [undefined, {}])
      expect((await fixture.admin('POST', webhooksPath, sent)).body.code).toBe('INVALID_REQUEST');
  });
});
