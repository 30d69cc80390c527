import { describe, expect, it } from '@jest/globals';
import { eventExamples } from '../../../contract/examples/events.js';
import { eventData, eventNames } from '../../../contract/schemas/events.js';
import {
  createWebhookBody,
  deliveryId,
  rotateSecretBody,
  updateWebhookBody,
  webhookId,
} from '../../../contract/schemas/webhooks.js';
import { timedId } from '../../../server/webhooks/delivery.rules.js';
import { expectFor } from '../../support/expect-for.js';

const body = {
  url: 'https://wallet.example/hook',
  events: ['intent.settled'],
  secret: 'sixteen letters!',
};
const accepts = (changes: object) => createWebhookBody.safeParse({ ...body, ...changes }).success;

describe('the body of a registration', () => {
  it('accepts secrets of 16 to 256 printable ASCII characters and no others', () => {
    for (const secret of ['sixteen letters!', 'x'.repeat(256), ' '.repeat(16), '~'.repeat(16)])
      expectFor(secret, accepts({ secret })).toBe(true);
    for (const secret of [
      'fifteen letters',
      'x'.repeat(257),
      'sixteen lettersé',
      'sixteen letters\n',
      7,
      null,
    ])
      expectFor(String(secret), accepts({ secret })).toBe(false);
  });

  it('does not repeat a secret that it refuses', () => {
    const secret = 'planted-secret-with-a-tab\t';
    const { error } = createWebhookBody.safeParse({ ...body, secret });
    expect(JSON.stringify(error)).not.toContain('planted');
  });

  it('needs at least one event, and knows all of them', () => {
    expect(accepts({ events: eventNames })).toBe(true);
    for (const events of [[], ['intent.created'], 'intent.settled', [...eventNames, ...eventNames]])
      expectFor(String(events), accepts({ events })).toBe(false);
  });

  it('refuses addresses that do not begin with http or https and a host', () => {
    for (const url of ['ftp://wallet.example/', 'https:wallet.example', '//wallet.example', 'https:///x', ''])
      expectFor(url, accepts({ url })).toBe(false);
  });
});

describe('a change', () => {
  it('must change something', () => {
    expect(updateWebhookBody.safeParse({}).success).toBe(false);
    expect(updateWebhookBody.safeParse({ enabled: true }).success).toBe(true);
    expect(updateWebhookBody.safeParse({ secret: body.secret }).success).toBe(false);
  });

  it('of the secret has an overlap of at most a day', () => {
    for (const overlapSeconds of [0, 86_400])
      expect(rotateSecretBody.safeParse({ secret: body.secret, overlapSeconds }).success).toBe(true);
    for (const overlapSeconds of [-1, 86_401, 1.5])
      expect(rotateSecretBody.safeParse({ secret: body.secret, overlapSeconds }).success).toBe(false);
  });
});

describe('event examples', () => {
  it.each(eventNames)('%s has the members of its schema and no others', (name) => {
    expect(eventData[name].strict().parse(eventExamples[name])).toEqual(eventExamples[name]);
  });
});

describe('timed ids', () => {
  it('have the form that the contract requires, and sort by time', () => {
    const fresh = 'ab'.repeat(16);
    const ids = [0, 1, 1e12, Date.now(), 8e13].map((nowMs) => timedId('dlv', nowMs, fresh));
    for (const id of ids) expectFor(id, deliveryId.safeParse(id).success).toBe(true);
    expect([...ids].sort()).toEqual(ids);
    expect(webhookId.safeParse(timedId('whk', Date.now(), fresh)).success).toBe(true);
  });
});
