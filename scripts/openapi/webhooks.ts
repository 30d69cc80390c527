import { createHmac } from 'node:crypto';
import { type ZodTypeAny, z } from 'zod';
import { eventExamples } from '../../contract/examples/events.js';
import {
  type EventName,
  eventData,
  eventEnvelope,
  eventId,
  eventNames,
} from '../../contract/schemas/events.js';
import type { JsonSchema } from './json-schema.js';
import type { Parameter } from './written.js';
import type { SchemaWriter } from './zod-schema.js';
import { pascalCase } from './zod-schema.js';

const hmacHex = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe(
    'HMAC-SHA256 of the exact body under the registered secret, in hex. Compare it in constant time.',
  );
const standardId = eventId.describe('The event id again (Standard Webhooks): deduplicate by it.');
const standardTimestamp = z
  .string()
  .regex(/^\d{1,12}$/)
  .describe('When this attempt was signed, in seconds since the Unix epoch (Standard Webhooks).');
const standardSignature = z
  .string()
  .regex(/^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$/)
  .describe('`v1,` and a base64 HMAC-SHA256 of `id.timestamp.body`; two of them while a secret is replaced.');

/** What the examples are signed with, so that a receiver can be tried on them. */
const exampleSecret = 'only-for-trying-out-webhooks';
const exampleId = 'evt_9f86d081884c7d659a2feaa0c55ad015';
const exampleTimestamp = '1795253400';

/** A delivery as a receiver would get it: its body, and its headers with what they mean. */
function exampleDelivery(event: EventName) {
  const createdAt = '2026-11-21T09:29:59.950Z';
  const envelope = { event, id: exampleId, createdAt, data: eventExamples[event] };
  const body = JSON.stringify(envelope);
  const hmac = (text: string) => createHmac('sha256', exampleSecret).update(text);
  const standard = hmac(`${exampleId}.${exampleTimestamp}.${body}`).digest('base64');
  const eventHeader = z.enum([event]).describe('The name of the event, as in the body.');
  const headers: [string, ZodTypeAny, string][] = [
    ['X-Fairlead-Signature', hmacHex, hmac(body).digest('hex')],
    ['X-Fairlead-Event', eventHeader, event],
    ['webhook-id', standardId, exampleId],
    ['webhook-timestamp', standardTimestamp, exampleTimestamp],
    ['webhook-signature', standardSignature, `v1,${standard}`],
  ];
  return { envelope, headers };
}

/** The deliveries a receiver gets: one POST for each event of the contract. */
export function webhooksOf(writer: SchemaWriter) {
  return Object.fromEntries(eventNames.map((event) => [event, { post: webhookOf(event, writer) }]));
}

function webhookOf(event: EventName, writer: SchemaWriter) {
  const meaning = eventData[event].description ?? '';
  const body = eventEnvelope(event).describe(`The body of an \`${event}\` delivery.`);
  const schema = writer.define(`${pascalCase(event)}Event`, body);
  const { envelope, headers } = exampleDelivery(event);
  const parameters = headers.map(([name, header, example]): Parameter => {
    const { description = '', ...rest } = writer.write(header);
    return { name, in: 'header', required: !header.isOptional(), description, schema: rest, example };
  });
  const content: Record<string, { schema: JsonSchema; example: object }> = {
    'application/json': { schema, example: envelope },
  };
  return {
    operationId: `on${pascalCase(event)}`,
    tags: ['events'],
    summary: meaning.replace(/\.$/, ''),
    description:
      `Sent to every webhook subscribed to \`${event}\`. Answer any 2xx within 5 seconds; the same event may ` +
      'come more than once, with the same id and body. The example is signed with the secret ' +
      `\`${exampleSecret}\`, over its JSON without white space.`,
    security: [],
    parameters,
    requestBody: { required: true, content },
    responses: {
      '2XX': { description: 'Received: the event is not sent again.' },
      '4XX': {
        description:
          'Refused for good: the webhook is disabled and its further events are held (during a rotation, once the ' +
          'delivery was refused with each secret).',
      },
      '5XX': { description: 'Not now: sent again, at most 3 times, after about 10 s, 60 s and 360 s.' },
    },
  };
}
