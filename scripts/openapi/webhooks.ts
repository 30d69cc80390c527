import { z } from 'zod';
import { eventData, eventEnvelope, eventId, eventNames } from '../../contract/schemas/events.js';
import type { JsonSchema } from './json-schema.js';
import type { Parameter } from './operation-object.js';
import type { SchemaWriter } from './zod-schema.js';
import { pascalCase } from './zod-schema.js';

interface WebhookOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: never[];
  parameters: Parameter[];
  requestBody: { required: true; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { description: string }>;
}

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

/** The deliveries a receiver gets: one POST for each event of the contract. */
export function webhooksOf(writer: SchemaWriter): Record<string, { post: WebhookOperation }> {
  return Object.fromEntries(
    eventNames.map((event) => {
      const meaning = eventData[event].description ?? '';
      const schema = writer.define(
        `${pascalCase(event)}Event`,
        eventEnvelope(event).describe(`The body of an \`${event}\` delivery.`),
      );
      const operation: WebhookOperation = {
        operationId: `on${pascalCase(event)}`,
        tags: ['webhooks'],
        summary: meaning.replace(/\.$/, ''),
        description:
          `Sent to every webhook subscribed to \`${event}\`. Answer any 2xx within 5 seconds; the same event may ` +
          'come more than once, with the same id and body.',
        security: [],
        parameters: deliveryHeaders(event, writer),
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: {
          '2XX': { description: 'Received: the event is not sent again.' },
          '4XX': {
            description: 'Refused for good: the webhook is disabled and its further events are held.',
          },
          '5XX': { description: 'Not now: sent again, at most 3 times, after about 10 s, 60 s and 360 s.' },
        },
      };
      return [event, { post: operation }];
    }),
  );
}

function deliveryHeaders(event: string, writer: SchemaWriter): Parameter[] {
  const headers = {
    'X-Fairlead-Signature': hmacHex,
    'X-Fairlead-Event': z.enum([event]).describe('The name of the event, as in the body.'),
    'webhook-id': standardId,
    'webhook-timestamp': standardTimestamp,
    'webhook-signature': standardSignature,
  };
  return Object.entries(headers).map(([name, schema]) => {
    const { description = '', ...rest } = writer.write(schema);
    return { name, in: 'header', required: true, description, schema: rest };
  });
}
