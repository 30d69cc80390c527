import { ContractNoBody } from '@ts-rest/core';
import { type ZodTypeAny, z } from 'zod';
import { type Access, type Links, sharedErrorCodes } from '../../contract/describe-route.js';
import type { ErrorCode } from '../../contract/errors.js';
import { type RateLimitClass, type RateLimitKey, rateLimitClasses } from '../../contract/rate-limits.js';
import { type Answer, type ErrorAnswers, headersOf, type Link } from './answers.js';
import { eventStreamContent } from './event-streams.js';
import type { JsonSchema } from './json-schema.js';
import { codesByStatus, type Operation, successStatuses } from './operations.js';
import { pascalCase, type SchemaWriter } from './zod-schema.js';

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
  const parameters = parametersOf(operation, named, writer);
  const requestBody = requestBodyOf(operation, writer);
  return {
    operationId: metadata.operationId,
    tags: [metadata.tag],
    summary: route.summary ?? '',
    description: [
      route.description ?? '',
      describeLimit(rateLimitClasses[metadata.limit]),
      ...describeErrors(operation),
    ].join('\n\n'),
    security: securityByAccess[metadata.access],
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

function describeLimit({ points, windowSeconds, key }: RateLimitClass): string {
  const window = windowSeconds % 3_600 === 0 ? `${windowSeconds / 3_600} h` : `${windowSeconds} s`;
  return `Limit: ${points} requests per ${window}, per ${limitKeyNames[key]}.`;
}

/** The codes that distinguish this operation from others of its kind. */
function describeErrors({ route, metadata }: Operation): string[] {
  const shared = sharedErrorCodes(route.method, metadata.access);
  const own = metadata.errors.filter((code) => !shared.includes(code));
  return own.length === 0 ? [] : [`Errors of its own: ${own.map((code) => `\`${code}\``).join(', ')}.`];
}

function requestBodyOf(
  { route, metadata, example }: Operation,
  writer: SchemaWriter,
): OperationObject['requestBody'] {
  if (!('body' in route) || !(route.body instanceof z.ZodType)) return undefined;
  const schema = route.body;
  const { body } = example;
  return {
    required: !schema.isOptional(),
    content: {
      'application/json': {
        schema: writer.write(schema, `${pascalCase(metadata.operationId)}Body`),
        ...(body === undefined ? {} : { example: body }),
      },
    },
  };
}

function responsesOf(
  operation: Operation,
  writer: SchemaWriter,
  errors: ErrorAnswers,
): OperationObject['responses'] {
  const { route, metadata } = operation;
  const responses: OperationObject['responses'] = {};
  const successes = successStatuses(route);
  for (const status of successes) responses[status] = success(operation, status, writer);
  if (metadata.cache === 'etag' && !successes.includes(304)) {
    responses[304] = {
      description: 'The answer named by If-None-Match is still the present one.',
      headers: headersOf(metadata, 304),
    };
  }
  const listed = codesByStatus(metadata.errors);
  for (const status of Object.keys(route.responses).map(Number)) {
    if (status >= 400 && !listed.has(status))
      throw new Error(`${metadata.operationId} answers ${status} without listing a code for it`);
  }
  for (const [status, codes] of [...listed].sort(([a], [b]) => a - b)) {
    responses[status] = errors.of(operation, status, codes);
  }
  responses.default = errors.edge();
  return responses;
}

function success({ route, metadata, example }: Operation, status: number, writer: SchemaWriter): Answer {
  const schema: unknown = route.responses[status];
  const headers = headersOf(metadata, status);
  if (schema === ContractNoBody) return { description: 'Done; the answer has no body.', headers };
  if (!(schema instanceof z.ZodType))
    throw new Error(`${metadata.operationId} answers ${status} in a form the emitter does not know`);
  const { answer } = example;
  if (metadata.stream !== undefined) {
    const data = writer.write(schema, `${pascalCase(metadata.operationId)}Data`);
    const content = eventStreamContent(metadata.stream, data, answer);
    return { description: `A stream of events. ${schema.description}`, headers, content };
  }
  return {
    description: schema.description ?? route.summary ?? '',
    headers,
    content: {
      'application/json': {
        schema: writer.write(schema, `${pascalCase(metadata.operationId)}Answer`),
        // If an operation has several success statuses, its one example appears at those that it fits.
        ...(schema.safeParse(answer).success ? { example: answer } : {}),
      },
      ...(status === 200 ? otherForms(metadata) : {}),
    },
    ...(metadata.leadsTo === undefined ? {} : { links: linksOf(metadata.leadsTo) }),
  };
}

/** A request body's members become an object: tools that follow links put it into the body that they send. */
function linksOf(leadsTo: Links): Record<string, Link> {
  const inBody = /^body\./;
  return Object.fromEntries(
    Object.entries(leadsTo).map(([operationId, takes]) => {
      const parameters = Object.entries(takes).filter(([name]) => !inBody.test(name));
      const members = Object.entries(takes).filter(([name]) => inBody.test(name));
      const body = members.map(([name, expression]) => [name.replace(inBody, ''), expression]);
      return [
        operationId,
        {
          operationId,
          ...(parameters.length > 0 ? { parameters: Object.fromEntries(parameters) } : {}),
          ...(body.length > 0 ? { requestBody: Object.fromEntries(body) } : {}),
        },
      ];
    }),
  );
}

function otherForms({ alsoAs = {} }: Operation['metadata']): Record<string, { schema: JsonSchema }> {
  return Object.fromEntries(
    Object.entries(alsoAs).map(([type, description]) => [type, { schema: { type: 'string', description } }]),
  );
}

export interface ParameterName {
  name: string;
  in: 'path' | 'query';
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
}

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of an answer you still have; 304 without a body while it is the present one.',
  schema: { type: 'string' },
};

const callbackSignature: Parameter = {
  name: 'Signature',
  in: 'header',
  required: true,
  description:
    '`t=<unix seconds>, s=<base64>`: the Ed25519 signature of the anchor with its SIGNING_KEY over `<t>.<host>.<body>`.',
  schema: { type: 'string', pattern: '^t=\\d+, *s=[A-Za-z0-9+/]+=*$' },
};

/** Path and query parameters with their schemas and examples, and the headers that the metadata tell of. */
function parametersOf(
  { route, metadata, example }: Operation,
  named: readonly ParameterName[],
  writer: SchemaWriter,
): Parameter[] {
  const schemas = { path: fieldsOf(route.pathParams), query: fieldsOf(route.query) };
  const examples = { path: example.params, query: example.query };
  return [
    ...named.map(({ name, in: place }) => {
      const schema = schemas[place][name];
      if (schema === undefined) throw new Error(`${metadata.operationId} does not describe {${name}}`);
      return parameter(place, name, schema, writer, examples[place]?.[name]);
    }),
    ...(metadata.access === 'callback' ? [callbackSignature] : []),
    ...(metadata.cache === 'etag' ? [ifNoneMatch] : []),
  ];
}

/** The members of an object schema, also where a rule between members is wrapped around it. */
export function fieldsOf(schema: unknown): Record<string, ZodTypeAny> {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodEffects) return fieldsOf(schema.innerType());
  if (schema instanceof z.ZodOptional) return fieldsOf(schema.unwrap());
  if (schema instanceof z.ZodType) throw new Error('the parameters of an operation must be an object schema');
  // ts-rest gives every route a plain object of headers, mostly an empty one.
  return Object.fromEntries(
    Object.entries(schema ?? {}).filter(
      (entry): entry is [string, ZodTypeAny] => entry[1] instanceof z.ZodType,
    ),
  );
}

function parameter(
  place: Parameter['in'],
  name: string,
  schema: ZodTypeAny,
  writer: SchemaWriter,
  example: unknown,
): Parameter {
  const written = writer.write(schema);
  // The description belongs to the parameter; a reference keeps its component's own.
  const { description = schema.description ?? '', ...rest } = written;
  return {
    name,
    in: place,
    required: place === 'path' || !schema.isOptional(),
    description,
    schema: rest,
    ...(example === undefined ? {} : { example }),
  };
}
