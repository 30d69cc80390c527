import type { ZodNumber, ZodString } from 'zod';

/** The part of JSON Schema 2020-12 that the document uses. */
export interface JsonSchema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: (string | number | boolean)[];
  /** In answers: further values may be added by any release. */
  'x-open-enum'?: true;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  /** In a string: its content type, and the schema of its content. */
  contentMediaType?: string;
  contentSchema?: JsonSchema;
}

/** `RateQuote` of `#/components/schemas/RateQuote`. */
export function componentName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** A zod string, every check of it; throws on a check that JSON Schema cannot express. */
export function stringSchema(schema: ZodString): JsonSchema {
  const result: JsonSchema = { type: 'string' };
  const patterns: string[] = [];
  for (const check of schema._def.checks) {
    if (check.kind === 'min') result.minLength = check.value;
    else if (check.kind === 'max') result.maxLength = check.value;
    else if (check.kind === 'datetime') result.format = 'date-time';
    // JSON Schema patterns have no flags, so dropping one would change what is accepted.
    else if (check.kind === 'regex' && /^u?$/.test(check.regex.flags)) patterns.push(check.regex.source);
    else throw new Error(`the OpenAPI emitter has no rule for the string check ${JSON.stringify(check)}`);
  }
  const [first, ...others] = patterns;
  if (first !== undefined) result.pattern = first;
  if (others.length > 0) result.allOf = others.map((pattern) => ({ pattern }));
  return result;
}

/**
 * A zod number, every check of it; throws on one without a rule. Integers name their width, since generators for Java and
 * Go otherwise assume 32 bits.
 */
export function numberSchema(schema: ZodNumber): JsonSchema {
  const result: JsonSchema = { type: schema.isInt ? 'integer' : 'number' };
  for (const check of schema._def.checks) {
    if (check.kind === 'min' && check.inclusive) result.minimum = check.value;
    else if (check.kind === 'max' && check.inclusive) result.maximum = check.value;
    else if (check.kind !== 'int')
      throw new Error(`the OpenAPI emitter has no rule for the number check ${JSON.stringify(check)}`);
  }
  const { minimum = -Infinity, maximum = Infinity } = result;
  const fitsInt32 = minimum >= -(2 ** 31) && maximum < 2 ** 31;
  return { ...result, format: schema.isInt ? (fitsInt32 ? 'int32' : 'int64') : 'double' };
}
