import { type AppRoute, isAppRoute } from '@ts-rest/core';
import type { ZodTypeAny } from 'zod';
import { type Client, contract, newNonce, type RouteMetadata, signDispute } from '../contract/index.js';
import { createSchemaWriter, fieldsOf } from '../scripts/openapi/zod-schema.js';
import type { Options } from './options.js';

/** What the client answers, of whatever operation. */
export interface OperationAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** What a request of the client takes. */
export interface ToolRequest {
  params: Arguments;
  query: Arguments;
  body?: Arguments;
  fetchOptions: { signal: AbortSignal };
}

/** An operation of the contract, and how the client calls it. */
export interface Operation {
  route: AppRoute;
  metadata: RouteMetadata;
  call(client: Client, request: ToolRequest): Promise<OperationAnswer>;
}

/** Every operation of the contract, in its order. */
export function operationsOfContract(): Operation[] {
  return Object.entries(contract).flatMap(([group, routes]) =>
    Object.entries(routes).flatMap(([name, route]) =>
      // A tool answers once; a stream does not.
      isAppRoute(route) && (route.metadata as RouteMetadata).stream === undefined
        ? [
            {
              route,
              metadata: route.metadata as RouteMetadata,
              call: (client, request) => callsOf(client)[group]?.[name]?.(request) ?? missing(group, name),
            } satisfies Operation,
          ]
        : [],
    ),
  );
}

/** The client without its types, which are those of single operations. */
function callsOf(client: Client) {
  return client as unknown as Record<
    string,
    Record<string, (request: ToolRequest) => Promise<OperationAnswer>>
  >;
}

function missing(group: string, name: string): never {
  throw new Error(`the client has no operation ${group}.${name}`);
}

/**
 * Whether an operation is a tool under these options. Anyone may read what is public; whatever else there is needs a
 * key or an option of the user. What only schedulers and anchors call is never a tool.
 */
export function isOffered({ route, metadata }: Operation, options: Options): boolean {
  switch (metadata.access) {
    case 'public':
      return route.method === 'GET' || options.intents;
    case 'admin':
      return options.adminKey !== undefined;
    case 'signed':
      return options.accountSecret !== undefined;
    default:
      return false;
  }
}

/**
 * What this side adds to the body of an operation, so that a model is not given the secret of the user's account and need not
 * choose a nonce.
 */
export interface Completion {
  /** Members of the body that are made here, whether or not they may be given. */
  made: Record<string, 'never given' | 'made when absent'>;
  complete(body: Arguments, options: Options): Arguments;
  /** Members that the caller must keep: part of the answer, and of an error. */
  shown: readonly string[];
}

export const completions: Readonly<Record<string, Completion>> = {
  createIntent: {
    made: { nonce: 'made when absent' },
    complete: (body) => ({ ...body, nonce: body.nonce ?? newNonce() }),
    shown: ['nonce'],
  },
  fileDispute: {
    made: { publicKey: 'never given', signature: 'never given' },
    complete: (body, { accountSecret = '' }) => ({
      ...signDispute({
        intentHash: String(body.intentHash),
        anchorId: String(body.anchorId),
        reason: String(body.reason),
        secretKey: accountSecret,
      }),
    }),
    shown: [],
  },
};

export type Place = 'params' | 'query' | 'body';

/** An argument of a tool: its schema in the contract, and where in the request it belongs. */
export interface Field {
  place: Place;
  schema: ZodTypeAny;
  required: boolean;
}

/** The arguments of an operation, by name. Throws where two parts of a request have one of the same name. */
export function argumentsOf({ route, metadata }: Operation): Map<string, Field> {
  const made = completions[metadata.operationId]?.made ?? {};
  const fields = new Map<string, Field>();
  const parts: [Place, unknown][] = [
    ['params', route.pathParams],
    ['query', route.query],
    ['body', 'body' in route ? route.body : undefined],
  ];
  for (const [place, part] of parts) {
    for (const [name, schema] of Object.entries(fieldsOf(part))) {
      if (made[name] === 'never given') continue;
      if (fields.has(name)) throw new Error(`${metadata.operationId} has two arguments called ${name}`);
      fields.set(name, { place, schema, required: made[name] === undefined && !schema.isOptional() });
    }
  }
  return fields;
}

export interface ObjectSchema {
  [member: string]: unknown;
  type: 'object';
  properties: Record<string, object>;
  required: string[];
}

/** A schema of the contract as JSON Schema, as the OpenAPI document writes it but with everything in place. */
export function jsonSchemaOf(schema: ZodTypeAny): object {
  return createSchemaWriter(() => undefined).write(schema);
}

/**
 * What an answer holds at least. A later service may add members, and values to a list; hosts would drop its whole
 * answer for one that the schema refuses.
 */
export function answerSchemaOf(schema: ZodTypeAny): ObjectSchema {
  const { properties } = open(jsonSchemaOf(schema)) as ObjectSchema;
  const fields = fieldsOf(schema);
  return {
    type: 'object',
    properties,
    required: Object.keys(fields).filter((name) => fields[name]?.isOptional() === false),
  };
}

function open(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(open);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name, member]) => !isClosing(name, member));
  // Without their lists, more than one of the alternatives may fit.
  return Object.fromEntries(
    members.map(([name, member]) => [name === 'oneOf' ? 'anyOf' : name, open(member)]),
  );
}

function isClosing(keyword: string, value: unknown): boolean {
  return (
    (keyword === 'additionalProperties' && value === false) || (keyword === 'enum' && Array.isArray(value))
  );
}

export type Arguments = Record<string, unknown>;

export interface Tool {
  definition: {
    name: string;
    title: string;
    description: string;
    inputSchema: ObjectSchema;
    outputSchema: ObjectSchema;
    annotations: {
      readOnlyHint: boolean;
      destructiveHint: boolean;
      idempotentHint: boolean;
      openWorldHint: boolean;
    };
  };
  /** Throws ToolError. */
  run(args: Arguments, signal: AbortSignal): Promise<Arguments>;
}
