import { type ZodTypeAny, z } from 'zod';
import type { JsonSchema } from './json-schema.js';
import type { Operation } from './operations.js';
import type { SchemaWriter } from './zod-schema.js';

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

/** Path, query and header parameters, from the contract's schemas and the example of its metadata. */
export function parametersOf(
  { route, metadata, example, path }: Operation,
  writer: SchemaWriter,
): Parameter[] {
  const { params, query } = example;
  const declared = fieldsOf(route.pathParams);
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  return [
    ...inPath.map((name) => {
      const schema = declared[name];
      if (schema === undefined) throw new Error(`${metadata.operationId} does not describe {${name}}`);
      return parameter('path', name, schema, writer, params?.[name]);
    }),
    ...Object.entries(fieldsOf(route.query)).map(([name, schema]) =>
      parameter('query', name, schema, writer, query?.[name]),
    ),
    ...Object.entries(fieldsOf(route.headers)).map(([name, schema]) =>
      parameter('header', name, schema, writer, undefined),
    ),
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
