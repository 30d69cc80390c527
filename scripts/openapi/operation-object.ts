import { ContractNoBody } from '@ts-rest/core';
import { z } from 'zod';
import {
  type Access,
  type EventStream,
  type Links,
  sharedErrorCodes,
} from '../../contract/describe-route.js';
import type { ErrorCode } from '../../contract/errors.js';
import { type RateLimitKey, rateLimitClasses } from '../../contract/rate-limits.js';
import { type Answer, type ErrorAnswers, headersOf, type Link } from './answers.js';
import type { JsonSchema } from './json-schema.js';
import { codesByStatus, type Operation, successStatuses } from './operations.js';
import { type Parameter, written } from './written.js';
import { fieldsOf, pascalCase, type SchemaWriter } from './zod-schema.js';

export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: {
    required: boolean;
    content: Record<string, { schema: JsonSchema; example?: unknown }>;
  };
  responses: Record<string, Answer | { $ref: string }>;
  /** Every code that this operation answers beside those of `default`; docs/errors.md explains them. */
  'x-error-codes': ErrorCode[];
}

const securityByAccess: Record<Access, Record<string, string[]>[]> = {
  public: [],
  signed: [],
  callback: [],
  admin: [{ adminKey: [] }],
  internal: [{ cronSecret: [] }],
};

/** `named`: the parameters that the walk of the contract found. */
export function operationObject(
  operation: Operation,
  named: readonly ParameterName[],
  writer: SchemaWriter,
  errors: ErrorAnswers,
): OperationObject {
  const { route, metadata } = operation;
  const { operationId, tag, access } = metadata;
  const parameters = parametersOf(operation, named, writer);
  const requestBody = requestBodyOf(operation, writer);
  const { points, windowSeconds, key } = rateLimitClasses[metadata.limit];
  const window = windowSeconds % 3_600 === 0 ? `${windowSeconds / 3_600} h` : `${windowSeconds} s`;
  // Those that distinguish this operation from others of its kind.
  const shared = sharedErrorCodes(route.method, access);
  const own = metadata.errors.filter((code) => !shared.includes(code)).map((code) => `\`${code}\``);
  return {
    operationId,
    tags: [tag],
    summary: route.summary ?? '',
    description: [
      route.description ?? '',
      `Limit: ${points} requests per ${window}, per ${limitKeyNames[key]}.`,
      ...(own.length === 0 ? [] : [`Errors of its own: ${own.join(', ')}.`]),
    ].join('\n\n'),
    security: securityByAccess[access],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: responsesOf(operation, writer, errors),
    'x-error-codes': [...codesByStatus(metadata.errors).values()].flat(),
  };
}

const limitKeyNames: Record<RateLimitKey, string> = {
  client: 'client address',
  publicKey: 'public key',
  anchor: 'anchor',
};

function requestBodyOf(
  { route, metadata, example: { body } }: Operation,
  writer: SchemaWriter,
): OperationObject['requestBody'] {
  if (!('body' in route) || !(route.body instanceof z.ZodType)) return undefined;
  const schema = writer.write(route.body, `${pascalCase(metadata.operationId)}Body`);
  const media = { schema, ...(body === undefined ? {} : { example: body }) };
  return { required: !route.body.isOptional(), content: { 'application/json': media } };
}

function responsesOf(operation: Operation, writer: SchemaWriter, errors: ErrorAnswers) {
  const { route, metadata } = operation;
  const responses: OperationObject['responses'] = {};
  const successes = successStatuses(route);
  for (const status of successes) responses[status] = success(operation, status, writer);
  if (metadata.cache === 'etag' && !successes.includes(304)) {
    const description = 'The answer named by If-None-Match is still the present one.';
    responses[304] = { description, headers: headersOf(metadata, 304) };
  }
  for (const [status, codes] of codesByStatus(metadata.errors))
    responses[status] = errors.of(operation, status, codes);
  responses.default = errors.edge();
  return responses;
}

function success({ route, metadata, example }: Operation, status: number, writer: SchemaWriter): Answer {
  const { operationId, stream, leadsTo, alsoAs = {} } = metadata;
  const schema: unknown = route.responses[status];
  const headers = headersOf(metadata, status);
  if (schema === ContractNoBody) return { description: 'Done; the answer has no body.', headers };
  if (!(schema instanceof z.ZodType))
    throw new Error(`${operationId} answers ${status} in a form the emitter does not know`);
  const { answer } = example;
  if (stream !== undefined) {
    const data = writer.write(schema, `${pascalCase(operationId)}Data`);
    const description = `A stream of events. ${schema.description}`;
    return { description, headers, content: eventStreamContent(stream, data, answer) };
  }
  const otherForms = Object.entries(status === 200 ? alsoAs : {}).map(([type, description]) => [
    type,
    { schema: { type: 'string', description } },
  ]);
  return {
    description: schema.description ?? route.summary ?? '',
    headers,
    content: {
      'application/json': {
        schema: writer.write(schema, `${pascalCase(operationId)}Answer`),
        // If an operation has several success statuses, its one example appears at those that it fits.
        ...(schema.safeParse(answer).success ? { example: answer } : {}),
      },
      ...Object.fromEntries(otherForms),
    },
    ...(leadsTo === undefined ? {} : { links: linksOf(leadsTo) }),
  };
}

/**
 * The content of a stream of events. OpenAPI 3.1 has no word for the items of a stream (3.2 calls it `itemSchema`), and
 * tools take the schema of this media type for that of each event.
 */
function eventStreamContent({ event, problems }: EventStream, data: JsonSchema, example: unknown) {
  const more = problems
    ? ' Events `problem` tell of an error after the start: their data is the body of the error.'
    : '';
  const schema: JsonSchema = {
    type: 'object',
    description:
      `Each of the server-sent events. Those named \`${event}\` carry JSON of \`contentSchema\` as their ` +
      `data, in one line.${more} Comments keep the connection open.`,
    properties: {
      event: { type: 'string', enum: [event, ...(problems ? ['problem'] : [])] },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema: data },
    },
    required: ['event', 'data'],
  };
  const shown = example === undefined ? {} : { example: { event, data: JSON.stringify(example) } };
  return { 'text/event-stream': { schema, ...shown } };
}

/** A request body's members become an object: tools that follow links put it into the body that they send. */
function linksOf(leadsTo: Links): Record<string, Link> {
  const links = Object.entries(leadsTo).map(([operationId, takes]): [string, Link] => {
    const link: Link = { operationId };
    for (const [name, from] of Object.entries(takes)) {
      const [, inBody] = /^body\.(.+)$/.exec(name) ?? [];
      if (inBody === undefined) link.parameters = { ...link.parameters, [name]: from };
      else link.requestBody = { ...link.requestBody, [inBody]: from };
    }
    return [operationId, link];
  });
  return Object.fromEntries(links);
}

export interface ParameterName {
  name: string;
  in: 'path' | 'query';
}

/** Path and query parameters with their schemas and examples, and the headers that the metadata tell of. */
function parametersOf(
  { route, metadata, example }: Operation,
  named: readonly ParameterName[],
  writer: SchemaWriter,
): Parameter[] {
  const schemas = { path: fieldsOf(route.pathParams), query: fieldsOf(route.query) };
  const examples = { path: example.params, query: example.query };
  const parameters = named.map(({ name, in: place }): Parameter => {
    const schema = schemas[place][name];
    if (schema === undefined) throw new Error(`${metadata.operationId} does not describe {${name}}`);
    // The description belongs to the parameter; a reference keeps its component's own.
    const { description = schema.description ?? '', ...written } = writer.write(schema);
    const required = place === 'path' || !schema.isOptional();
    const shown = examples[place]?.[name];
    const parameter = { name, in: place, required, description, schema: written };
    return shown === undefined ? parameter : { ...parameter, example: shown };
  });
  return [
    ...parameters,
    ...(metadata.access === 'callback' ? [written.parameters.callbackSignature] : []),
    ...(metadata.cache === 'etag' ? [written.parameters.ifNoneMatch] : []),
  ];
}
