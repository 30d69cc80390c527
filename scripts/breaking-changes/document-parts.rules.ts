import { componentName } from '../openapi/json-schema.js';
import type { Schema, Schemas } from './schema-forms.rules.js';

/** The parts of an OpenAPI 3.1 document that clients rely on. */
export interface OpenApi {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: {
    schemas?: Schemas;
    responses?: Record<string, Answer>;
    headers?: Record<string, Header>;
    securitySchemes?: Record<string, object>;
  };
}

interface Reference {
  $ref: string;
}

export interface Operation {
  operationId: string;
  tags?: string[];
  security?: SecurityRequirement[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, Answer | Reference>;
}

/** Schemes that are needed together, each with its scopes. */
export type SecurityRequirement = Record<string, string[]>;

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

export type Content = Record<string, { schema?: Schema }>;

export interface Answer {
  headers?: Record<string, Header | Reference>;
  content?: Content;
}

export interface Header {
  required?: boolean;
  schema: Schema;
}

/** Members without a rule of their own that change nothing for clients; `x-` members are of that kind, too. */
const silent = ['summary', 'description', 'deprecated', 'example', 'examples', 'links', 'externalDocs'];
const known = {
  operation: ['operationId', 'tags', 'security', 'parameters', 'requestBody', 'responses'],
  parameter: ['name', 'in', 'required', 'schema'],
  requestBody: ['required', 'content'],
  media: ['schema'],
  answer: ['headers', 'content'],
  header: ['required', 'schema'],
};

/** The part itself; throws on a member that the comparison has no rule for, rather than pass over it. */
export function checked<T extends object>(kind: keyof typeof known, part: T): T {
  const unknown = Object.keys(part).find(
    (key) => !known[kind].includes(key) && !silent.includes(key) && !key.startsWith('x-'),
  );
  if (unknown !== undefined)
    throw new Error(`the comparison of documents has no rule for "${unknown}" of a ${kind}`);
  return part;
}

/** Resolves a reference to a component of the document; anything else is returned as it is. */
export function follow<T extends object>(
  part: T | Reference,
  components: Readonly<Record<string, T>> = {},
): T {
  if (!('$ref' in part)) return part;
  const found = components[componentName(part.$ref)];
  if (found === undefined) throw new Error(`the document has no ${part.$ref}`);
  return found;
}
