import { describe, expect, it } from '@jest/globals';
import { eventExamples } from '../../../contract/examples/events.js';
import { eventData, eventNames } from '../../../contract/schemas/events.js';
import { deliveryId, webhookId } from '../../../contract/schemas/webhooks.js';
import { timedId } from '../../../server/webhooks/delivery.rules.js';
import { expectFor } from '../../support/expect-for.js';

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
