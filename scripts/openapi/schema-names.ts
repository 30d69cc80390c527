import { type ZodTypeAny, z } from 'zod';
import { errorResponses } from '../../contract/errors.js';
import type { NameOf } from './zod-schema.js';

/**
 * Component names from the names the contract exports: `rateQuote` becomes `RateQuote`. Only objects, enums and
 * unions of objects get one; strings and numbers are clearer in place.
 */
export function exportedNames(exported: Readonly<Record<string, unknown>>): NameOf {
  const names = new Map<unknown, string>();
  for (const [name, value] of Object.entries(exported)) {
    if (!(value instanceof z.ZodType)) continue;
    const key = identity(value);
    if (key !== undefined && !names.has(key)) names.set(key, pascalCase(name));
  }
  const detail = identity(errorDetail());
  if (detail !== undefined) names.set(detail, 'ErrorDetail');
  return (schema) => names.get(identity(schema));
}

/**
 * What stays the same when a schema is copied only to describe it differently. `strict()` and its like keep the
 * shape and change the meaning; the contract exports a schema after them, and uses it so.
 */
function identity(schema: ZodTypeAny): unknown {
  if (schema instanceof z.ZodObject) return schema._def.shape;
  if (schema instanceof z.ZodEnum) return schema._def.values;
  if (schema instanceof z.ZodDiscriminatedUnion) return schema._def.optionsMap;
  return undefined;
}

/** The schema of one entry of `details`, which the error table keeps to itself. */
function errorDetail(): ZodTypeAny {
  const body: unknown = errorResponses(['INVALID_REQUEST'])[400];
  const details = body instanceof z.ZodObject ? body.shape.details : undefined;
  if (!(details instanceof z.ZodOptional) || !(details.unwrap() instanceof z.ZodArray))
    throw new Error('INVALID_REQUEST no longer carries details: give the emitter another way to name them');
  return details.unwrap().element;
}

/** `INVALID_REQUEST`, `intent.settled`, `rateQuote` → `InvalidRequest`, `IntentSettled`, `RateQuote`. */
export function pascalCase(name: string): string {
  const words = /^[A-Z0-9_]+$/.test(name) ? name.toLowerCase() : name;
  return words
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
