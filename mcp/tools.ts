import { z } from 'zod';
import { type Client, createClient } from '../contract/index.js';
import {
  type Arguments,
  answerSchemaOf,
  argumentsOf,
  completions,
  type Field,
  isOffered,
  jsonSchemaOf,
  type ObjectSchema,
  type Operation,
  operationsOfContract,
  type Tool,
  type ToolRequest,
} from './operations.js';
import type { Options } from './options.js';
import { answeredFault, invalidArguments, type Repetition, ToolError, thrownFault } from './tool-error.js';
import { createVerifyScore } from './verify-score.js';

/** Pages are read by a model, which pays for each word: fewer items than the service gives when asked for no number. */
const pageSize = '20';

/** Asks the address of the service and no other: a redirect is an error. */
const fetchHere: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });

/** Every tool under these options: the operations of the contract that are offered, and verify_score. */
export function createTools(options: Options): Tool[] {
  const { url, timeoutMs, adminKey } = options;
  const client = createClient(url, {
    fetch: fetchHere,
    timeoutMs,
    ...(adminKey === undefined ? {} : { adminKey }),
  });
  const offered = operationsOfContract().filter((operation) => isOffered(operation, options));
  return [
    ...offered.map((operation) => toolOf(operation, client, options)),
    createVerifyScore(client, options.keys),
  ];
}

/** `getRates` → `get_rates`. */
export function toolName(operationId: string): string {
  return operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toolOf(operation: Operation, client: Client, options: Options): Tool {
  const { route, metadata } = operation;
  const fields = argumentsOf(operation);
  const reads = route.method === 'GET';
  const repetition = repetitionOf(operation);
  return {
    definition: {
      name: toolName(metadata.operationId),
      title: route.summary ?? metadata.operationId,
      description: `${route.summary}. ${route.description}`,
      inputSchema: inputSchemaOf(metadata.operationId, fields),
      outputSchema: outputSchemaOf(operation),
      annotations: {
        readOnlyHint: reads,
        destructiveHint: repetition === 'read first',
        idempotentHint: repetition === 'repeat',
        openWorldHint: true,
      },
    },
    async run(args, signal) {
      const request = requestOf(operation, fields, args, signal, options);
      const shown = completions[metadata.operationId]?.shown ?? [];
      const kept = Object.fromEntries(shown.map((name) => [name, request.body?.[name]]));
      try {
        const answer = await operation.call(client, request);
        if (answer.status >= 400) throw new ToolError(answeredFault(answer, repetition));
        return { ...(answer.body as Arguments), ...kept };
      } catch (error) {
        const fault = thrownFault(error, repetition);
        if (fault === undefined) throw error;
        throw new ToolError({ ...fault, ...(shown.length === 0 ? {} : { sent: kept }) });
      }
    },
  };
}

/** Intents, transactions and disputes that are sent twice count once: an intent, if its nonce is the same. */
function repetitionOf({ route, metadata }: Operation): Repetition {
  if (route.method !== 'GET' && metadata.access === 'admin') return 'read first';
  return completions[metadata.operationId]?.shown.length ? 'repeat as sent' : 'repeat';
}

function inputSchemaOf(operationId: string, fields: ReadonlyMap<string, Field>): ObjectSchema {
  const made = completions[operationId]?.made ?? {};
  const properties = [...fields].map(([name, { schema, place }]) => {
    const written = jsonSchemaOf(schema);
    if (place === 'query' && name === 'limit') {
      return [name, { ...written, description: `How many items, 1 to 100; ${pageSize} when absent.` }];
    }
    if (made[name] === 'made when absent') {
      return [name, { ...written, description: `${schema.description} Made here when absent.` }];
    }
    return [name, written];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: [...fields].flatMap(([name, { required }]) => (required ? [name] : [])),
    additionalProperties: false,
  };
}

function outputSchemaOf({ route, metadata }: Operation): ObjectSchema {
  const [schema] = Object.entries(route.responses).flatMap(([status, response]) =>
    Number(status) < 400 && response instanceof z.ZodType ? [response] : [],
  );
  if (schema === undefined) throw new Error(`${metadata.operationId} answers nothing that a tool could give`);
  const written = answerSchemaOf(schema);
  const shown = completions[metadata.operationId]?.shown ?? [];
  const added = shown.map((name) => [
    name,
    { type: 'string', description: `Keep it: the ${name} of the request.` },
  ]);
  return {
    ...written,
    properties: { ...written.properties, ...Object.fromEntries(added) },
    required: [...written.required, ...shown],
  };
}

/** The request of these arguments. What is wrong with them is said here, without asking the service. */
function requestOf(
  { metadata }: Operation,
  fields: ReadonlyMap<string, Field>,
  args: Arguments,
  signal: AbortSignal,
  options: Options,
): ToolRequest {
  const given: Arguments = {
    ...(fields.get('limit')?.place === 'query' ? { limit: pageSize } : {}),
    ...Object.fromEntries(
      Object.entries(args).map(([name, value]) => [name, asSent(fields.get(name), value)]),
    ),
  };
  checkArguments(fields, given);
  const part = (place: Field['place']) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => fields.get(name)?.place === place));
  const body = part('body');
  const complete = completions[metadata.operationId]?.complete;
  const hasBody = [...fields.values()].some(({ place }) => place === 'body');
  return {
    params: part('params'),
    query: part('query'),
    ...(hasBody ? { body: complete === undefined ? body : complete(body, options) } : {}),
    fetchOptions: { signal },
  };
}

/** Everything in an address is text; models write numbers there. In bodies a decimal stays a text that was written. */
function asSent(field: Field | undefined, value: unknown): unknown {
  return field?.place !== 'body' && typeof value === 'number' ? String(value) : value;
}

function checkArguments(fields: ReadonlyMap<string, Field>, given: Arguments): void {
  const shape = Object.fromEntries(
    [...fields].map(([name, { schema, required }]) => [name, required ? schema : schema.optional()]),
  );
  const checked = z.object(shape).strict().safeParse(given);
  if (!checked.success) throw invalidArguments(checked.error);
}
