import { describe, expect, it } from '@jest/globals';
import { compareDeliveries } from '../../../scripts/faults/compare/deliveries.rules.js';
import { compareEvents } from '../../../scripts/faults/compare/events.rules.js';
import { compareWebhooks } from '../../../scripts/faults/compare/webhooks.rules.js';
import type { Finding } from '../../../scripts/faults/ports.js';
import { agreeing, changing, without } from '../../fixtures/faults/agreeing.js';

const { entries, intent, webhook, event, delivery } = agreeing();
const causes = { intents: [intent], disputes: [], batches: [], webhooks: [webhook as never], anchorIds: [] };

function said(findings: readonly Finding[]): string[] {
  return findings.map(({ what }) => what);
}

describe('the comparison of webhooks', () => {
  it('finds nothing where all agrees', () => {
    expect(compareWebhooks(entries, [webhook])).toEqual([]);
    expect(compareEvents(entries, [event], causes)).toEqual([]);
    expect(compareDeliveries(entries, [delivery], [event], [webhook])).toEqual([]);
  });

  it('names a subscription that is lost, changed, doubled or of nobody', () => {
    expect(said(compareWebhooks(entries, []))).toEqual(['It was acknowledged and is lost.']);
    expect(said(compareWebhooks(entries, [{ ...webhook, events: ['intent.failed'] }]))).toEqual([
      'It is stored with another address or subscription than acknowledged.',
    ]);
    expect(said(compareWebhooks(entries, [webhook, { ...webhook, _id: 'another' }]))).toEqual([
      'One registration made several webhooks.',
    ]);
    const unsent = without(without(entries, 'webhook_sent'), 'webhook_acknowledged');
    expect(said(compareWebhooks(unsent, [webhook]))).toEqual(['It is stored, and nobody registered it.']);
  });
});

describe('the comparison of events', () => {
  it('names the event that a cause lacks, one without a cause, and a second one', () => {
    expect(compareEvents(entries, [], causes)).toEqual([
      { of: 'events', id: `intent.settled ${intent._id}`, what: 'It happened, and its event is lost.' },
    ]);
    expect(said(compareEvents(entries, [event], { ...causes, intents: [] }))).toEqual([
      `It tells of intent.settled ${intent._id}, which did not happen.`,
    ]);
    expect(said(compareEvents(entries, [event, { ...event, _id: 'again' }], causes))).toEqual([
      'It has several events.',
    ]);
  });

  it('names an event that waits, or that goes to others than were subscribed', () => {
    expect(said(compareEvents(entries, [{ ...event, open: true }], causes))).toEqual([
      'No deliveries were made of it.',
    ]);
    expect(said(compareEvents(entries, [{ ...event, subscribers: ['nobody'] }], causes))).toEqual([
      'Its subscriber nobody is no webhook.',
      `The webhook ${webhook._id} was subscribed before its cause, and does not get it.`,
    ]);
  });

  it('names an event of a batch that goes past a webhook that was registered before it', () => {
    const createdAt = new Date('2026-11-22T10:00:00.000Z');
    const data = { sequence: 1 } as never;
    const tick = { ...event, event: 'publisher.tick' as const, data, createdAt, subscribers: [] };
    const since = (ms: number) => ({
      ...causes,
      intents: [],
      batches: [{ header: { sequence: 1 } } as never],
      webhooks: [
        { ...webhook, events: ['publisher.tick'], createdAt: new Date(createdAt.getTime() - ms) } as never,
      ],
    });
    expect(said(compareEvents(entries, [tick], since(60_000)))).toEqual([
      `The webhook ${webhook._id} was subscribed before its cause, and does not get it.`,
    ]);
    expect(compareEvents(entries, [tick], since(1_000))).toEqual([]);
  });

  it('takes an event that a webhook registered after its cause does not get', () => {
    const [sent, acknowledged, ...others] = entries;
    if (!sent || !acknowledged) throw new Error('the fixture lacks its webhook');
    const later = [...others, sent, acknowledged];
    expect(compareEvents(later, [{ ...event, subscribers: [] }], causes)).toEqual([]);
  });
});

describe('the comparison of deliveries', () => {
  const compared = (given: typeof entries, ...made: (typeof delivery)[]) =>
    said(compareDeliveries(given, made, [event], [webhook]));

  it('names a delivery that is lost, doubled, of no event or not delivered', () => {
    expect(compared(without(entries, 'delivery_received'))).toEqual([
      'The event has no delivery for this webhook.',
    ]);
    expect(compared(entries, delivery, { ...delivery, _id: 'again' })).toEqual([
      'The event has several deliveries for this webhook.',
    ]);
    expect(said(compareDeliveries(entries, [delivery], [], [webhook]))).toEqual([
      'It is of no event, or of a webhook that is no subscriber.',
    ]);
    expect(compared(entries, { ...delivery, state: 'exhausted' })).toEqual([
      'It is exhausted, although its receiver acknowledges everything.',
    ]);
  });

  it('names what a receiver never acknowledged, got otherwise, or could not verify', () => {
    expect(compared(changing(entries, 'delivery_received', { answered: 500 }), delivery)).toEqual([
      'It is delivered, and its receiver never acknowledged it.',
    ]);
    expect(compared(changing(entries, 'delivery_received', { bodyHash: '00' }), delivery)).toEqual([
      'Its receiver got another body than is stored.',
    ]);
    expect(compared(changing(entries, 'delivery_received', { fault: 'bad' }), delivery)).toEqual([
      'A receiver could not verify it: bad',
    ]);
  });

  it('names what a receiver got and is not stored', () => {
    const invented = entries
      .filter((entry) => entry.kind === 'delivery_received')
      .map((entry) => ({ ...entry, eventId: 'evt_invented' }));
    expect(compared([...entries, ...invented], delivery)).toEqual([
      'A receiver got it, and it is not stored.',
    ]);
  });
});
