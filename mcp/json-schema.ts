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

/** What an answer holds at least: a later service may add members, which is no fault of its answer. */
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
  const members = Object.entries(value).filter(
    ([name, member]) => !(name === 'additionalProperties' && member === false),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, open(member)]));
}
