import { componentName, type JsonSchema } from '../openapi/json-schema.js';

type Nested = 'items' | 'properties' | 'additionalProperties' | 'allOf' | 'anyOf' | 'oneOf';

/** A schema as any release's document may contain it. */
export interface Schema extends Omit<JsonSchema, 'type' | Nested> {
  type?: string | string[];
  default?: unknown;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export type Schemas = Readonly<Record<string, Schema>>;

/** One form that a value may have: no reference, no union, one type. */
export interface Form extends Omit<Schema, '$ref' | 'oneOf' | 'anyOf' | 'allOf' | 'type' | 'pattern'> {
  /** The component it comes from. */
  name?: string;
  /** Undefined if any type is allowed. */
  type?: string;
  /** The value has to match all of them. */
  patterns: readonly string[];
}

const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'] as const;
const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'] as const;
export const bounds = { lower: lowerBounds, upper: upperBounds };

/** Keywords that do not restrict the value. */
const annotations = ['description', 'title', 'example', 'examples', 'deprecated', '$comment'];
const known = new Set<string>([
  ...annotations,
  ...lowerBounds,
  ...upperBounds,
  ...['$ref', 'type', 'format', 'enum', 'x-open-enum', 'default', 'pattern', 'multipleOf', 'items'],
  ...['properties', 'required', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'discriminator'],
]);

/** Every form that a value of this schema may have. Throws on a keyword that it does not know, rather than pass over it. */
export function formsOf(schema: Schema, schemas: Schemas): Form[] {
  const unknown = Object.keys(schema).find((keyword) => !known.has(keyword));
  if (unknown !== undefined) throw new Error(`the comparison of documents has no rule for "${unknown}"`);
  const { $ref, oneOf, anyOf, allOf = [], type, pattern, ...rest } = schema;
  const own: Form = { ...rest, patterns: pattern === undefined ? [] : [pattern] };
  const types = type === undefined ? [undefined] : [type].flat();
  const inPlace = types.map((one): Form => (one === undefined ? own : { ...own, type: one }));
  const others = [
    ...($ref === undefined ? [] : [namedForms($ref, schemas)]),
    ...allOf.map((part) => formsOf(part, schemas)),
    ...[oneOf, anyOf].flatMap((union) =>
      union === undefined ? [] : [union.flatMap((part) => formsOf(part, schemas))],
    ),
  ];
  return others.reduce(
    (forms, more) => forms.flatMap((form) => more.map((other) => both(form, other))),
    inPlace,
  );
}

/** The schema that a reference names; a schema without one is itself. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema;
  return resolved(componentOf(schema.$ref, schemas), schemas);
}

function namedForms(ref: string, schemas: Schemas): Form[] {
  return formsOf(componentOf(ref, schemas), schemas).map((form) => ({ name: componentName(ref), ...form }));
}

function componentOf(ref: string, schemas: Schemas): Schema {
  const component = schemas[componentName(ref)];
  if (component === undefined) throw new Error(`the document has no ${ref}`);
  return component;
}

/** The form of the values that satisfy both. */
function both(a: Form, b: Form): Form {
  const result: Form = { ...a, ...b, patterns: [...a.patterns, ...b.patterns] };
  const required = [...(a.required ?? []), ...(b.required ?? [])];
  if (required.length > 0) result.required = [...new Set(required)];
  if (a.properties !== undefined && b.properties !== undefined)
    result.properties = mergedProperties(a.properties, b.properties);
  if (a.additionalProperties === false) result.additionalProperties = false;
  if (a.enum !== undefined && b.enum !== undefined)
    result.enum = a.enum.filter((value) => b.enum?.includes(value));
  for (const bound of lowerBounds) {
    const [x, y] = [a[bound], b[bound]];
    if (x !== undefined && y !== undefined) result[bound] = Math.max(x, y);
  }
  for (const bound of upperBounds) {
    const [x, y] = [a[bound], b[bound]];
    if (x !== undefined && y !== undefined) result[bound] = Math.min(x, y);
  }
  return result;
}

function mergedProperties(a: Record<string, Schema>, b: Record<string, Schema>): Record<string, Schema> {
  const shared = Object.keys(a).filter((key) => key in b);
  const merged = shared.map((key) => [key, { allOf: [a[key], b[key]] } as Schema] as const);
  return { ...a, ...b, ...Object.fromEntries(merged) };
}
