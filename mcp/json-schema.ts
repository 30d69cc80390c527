import type { ZodTypeAny } from 'zod';
import { fieldsOf } from '../scripts/openapi/operation-object.js';
import { createSchemaWriter } from '../scripts/openapi/zod-schema.js';

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
