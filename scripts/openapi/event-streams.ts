import type { EventStream } from '../../contract/describe-route.js';
import type { JsonSchema } from './json-schema.js';

/**
 * The content of a stream of events. OpenAPI 3.1 has no word for the items of a stream (3.2 calls it `itemSchema`), and
 * tools take the schema of this media type for that of each event.
 */
export function eventStreamContent(stream: EventStream, data: JsonSchema, example: unknown) {
  const problems = stream.problems
    ? ' Events `problem` tell of an error after the start: their data is the body of the error.'
    : '';
  return {
    'text/event-stream': {
      schema: {
        type: 'object',
        description:
          `Each of the server-sent events. Those named \`${stream.event}\` carry JSON of \`contentSchema\` as their ` +
          `data, in one line.${problems} Comments keep the connection open.`,
        properties: {
          event: { type: 'string', enum: [stream.event, ...(stream.problems ? ['problem'] : [])] },
          data: { type: 'string', contentMediaType: 'application/json', contentSchema: data },
        },
        required: ['event', 'data'],
      } satisfies JsonSchema,
      ...(example === undefined ? {} : { example: { event: stream.event, data: JSON.stringify(example) } }),
    },
  };
}
