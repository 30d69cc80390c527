import type { EventStream } from '../../contract/describe-route.js';
import type { JsonSchema } from './json-schema.js';

/**
 * The content of a stream of events: text, whose events carry JSON of this schema. OpenAPI 3.1 has no more exact word
 * for it.
 */
export function eventStreamContent(stream: EventStream, data: JsonSchema, example: unknown) {
  const problems = stream.problems
    ? ' Events `problem` tell of an error after the start: their data is the body of the error.'
    : '';
  return {
    'text/event-stream': {
      schema: {
        type: 'string',
        description:
          `Server-sent events. Those named \`${stream.event}\` carry JSON of \`contentSchema\` as their data, in one ` +
          `line.${problems} Comments keep the connection open.`,
        contentMediaType: 'text/event-stream',
        contentSchema: data,
      } satisfies JsonSchema,
      ...(example === undefined ? {} : { example: exampleText(stream.event, example) }),
    },
  };
}

function exampleText(event: string, data: unknown): string {
  return `retry: 3000\n\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
