import { type ZodTypeAny, z } from 'zod';
import { errorBody } from '../../contract/errors.js';
import { isMarkedToGrow } from '../../contract/schemas/primitives.js';
import { componentName, type JsonSchema, numberSchema, stringSchema } from './json-schema.js';

/** Finds the component name of a schema, or undefined where it is written in place. */
export type NameOf = (schema: ZodTypeAny) => string | undefined;

export type SchemaWriter = ReturnType<typeof createSchemaWriter>;

/**
 * Writes zod schemas as JSON Schema 2020-12, as what goes over the wire: refinements and transforms are passed
 * through to what they are applied to. A kind of schema without a rule throws; it never becomes `{}`.
 */
export function createSchemaWriter(nameOf: NameOf) {
  const components = new Map<string, JsonSchema>();
  /** Names derived from positions, by the identity of the schema. */
  const givenNames = new Map<unknown, string>();

  /**
   * The schema as a reference if it has a name, else inline. An object is never inline: without a name it is called `hint`,
   * and the objects inside it after their position: `WebhookAnswer.disabled` is `WebhookAnswerDisabled`.
   */
  function write(schema: ZodTypeAny, hint?: string): JsonSchema {
    const name = nameOf(schema) ?? nameByPlace(schema, hint);
    return name === undefined ? inPlace(schema, hint) : reference(name, schema);
  }

  function nameByPlace(schema: ZodTypeAny, hint: string | undefined): string | undefined {
    if (!(schema instanceof z.ZodObject) || hint === undefined) return undefined;
    const key = identity(schema);
    const known = givenNames.get(key);
    if (known !== undefined) return known;
    if (components.has(hint)) define(hint, schema);
    givenNames.set(key, hint);
    return hint;
  }

  /** Makes a component of a schema that has no name. Throws if the name is already used for another one. */
  function define(name: string, schema: ZodTypeAny): JsonSchema {
    const written = inPlace(schema, name);
    const known = components.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(written))
      throw new Error(`two different schemas want the component name ${name}`);
    components.set(name, written);
    return { $ref: `#/components/schemas/${name}` };
  }

  function reference(name: string, schema: ZodTypeAny): JsonSchema {
    if (!components.has(name)) {
      components.set(name, {});
      components.set(name, inPlace(schema, name));
    }
    const result: JsonSchema = { $ref: `#/components/schemas/${name}` };
    const { description } = schema;
    if (description !== undefined && description !== components.get(name)?.description)
      result.description = description;
    return result;
  }

  function inPlace(schema: ZodTypeAny, hint?: string): JsonSchema {
    const { description } = schema;
    const written = writeKind(schema, hint);
    if (description === undefined) return written;
    // Wrappers (optional, nullable) repeat the description of what they wrap; a component has it already.
    const named = written.$ref ?? written.oneOf?.[0]?.$ref;
    if (named !== undefined && components.get(componentName(named))?.description === description)
      return written;
    return { ...written, description };
  }

  function writeKind(schema: ZodTypeAny, hint?: string): JsonSchema {
    if (schema instanceof z.ZodString) return stringSchema(schema);
    if (schema instanceof z.ZodNumber) return numberSchema(schema);
    if (schema instanceof z.ZodBoolean) return { type: 'boolean' };
    if (schema instanceof z.ZodUnknown) return {};
    if (schema instanceof z.ZodEnum) {
      const open = isMarkedToGrow(schema) ? { 'x-open-enum': true as const } : {};
      return { type: 'string', enum: [...schema.options], ...open };
    }
    if (schema instanceof z.ZodLiteral) return enumOf([schema.value]);
    if (schema instanceof z.ZodObject) return objectSchema(schema, hint);
    if (schema instanceof z.ZodArray) return arraySchema(schema, hint);
    if (schema instanceof z.ZodRecord)
      return { type: 'object', additionalProperties: write(schema.valueSchema, within(hint, 'value')) };
    if (schema instanceof z.ZodUnion) return unionSchema(schema.options, hint);
    if (schema instanceof z.ZodNullable) return nullable(write(schema.unwrap(), hint));
    if (schema instanceof z.ZodOptional) return write(schema.unwrap(), hint);
    if (schema instanceof z.ZodEffects) return write(schema.innerType(), hint);
    // The value passes the first schema unchanged, so it must satisfy both.
    if (schema instanceof z.ZodPipeline) return { ...write(schema._def.out), ...write(schema._def.in) };
    throw new Error(`the OpenAPI emitter has no rule for ${schema.constructor.name}`);
  }

  function objectSchema(schema: z.AnyZodObject, hint?: string): JsonSchema {
    const shape: Record<string, ZodTypeAny> = schema.shape;
    const properties = Object.fromEntries(
      Object.entries(shape).map(([key, value]) => [key, write(value, within(hint, key))]),
    );
    const required = Object.keys(shape).filter((key) => !(shape[key]?.isOptional() ?? true));
    return {
      type: 'object',
      properties,
      ...(required.length > 0 ? { required } : {}),
      ...(schema._def.unknownKeys === 'strict' ? { additionalProperties: false } : {}),
    };
  }

  function arraySchema(schema: z.ZodArray<ZodTypeAny>, hint?: string): JsonSchema {
    const { minLength, maxLength, exactLength } = schema._def;
    const least = exactLength ?? minLength;
    const most = exactLength ?? maxLength;
    return {
      type: 'array',
      items: write(schema.element, hint === undefined ? undefined : oneOfMany(hint)),
      ...(least === null ? {} : { minItems: least.value }),
      ...(most === null ? {} : { maxItems: most.value }),
    };
  }

  function unionSchema(options: readonly ZodTypeAny[], hint?: string): JsonSchema {
    const literals = options.flatMap((option) => (option instanceof z.ZodLiteral ? [option.value] : []));
    if (literals.length === options.length) return enumOf(literals);
    return { anyOf: options.map((option, index) => write(option, within(hint, `option${index + 1}`))) };
  }

  return {
    write,
    define,
    /** Every component written so far, by name. */
    components: (): Record<string, JsonSchema> =>
      Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** The name of a member or item of something named `hint`. */
function within(hint: string | undefined, key: string): string | undefined {
  return hint === undefined ? undefined : hint + pascalCase(key);
}

/** `LeaderboardAnswerItems` → `LeaderboardAnswerItem`. */
function oneOfMany(name: string): string {
  if (name.endsWith('ies')) return name.replace(/ies$/, 'y');
  return name.endsWith('s') ? name.slice(0, -1) : `${name}Item`;
}

/** A one-value `enum` rather than `const`: generators for Go and Java lose the type of the latter. */
function enumOf(values: unknown[]): JsonSchema {
  const scalars = values.filter(
    (value): value is string | number | boolean => value !== null && typeof value !== 'object',
  );
  const types = new Set(scalars.map((value) => (Number.isInteger(value) ? 'integer' : typeof value)));
  const [type, ...others] = types;
  if (scalars.length !== values.length || type === undefined || others.length > 0)
    throw new Error('the OpenAPI emitter writes literals of one scalar type only');
  return { type, enum: scalars };
}

/**
 * `oneOf` with null for every kind: Go's ogen and oapi-codegen do not support `type: [X, "null"]`, and
 * openapi-generator drops the null if X is an object.
 */
function nullable({ description, ...schema }: JsonSchema): JsonSchema {
  return {
    ...(schema.oneOf === undefined ? {} : schema),
    oneOf: [...(schema.oneOf ?? [schema]), { type: 'null' }],
    ...(description === undefined ? {} : { description }),
  };
}

/**
 * Component names from the names the contract exports: `rateQuote` becomes `RateQuote`. Only objects, enums and
 * unions of objects get one; strings and numbers are clearer in place.
 */
export function exportedNames(exported: Readonly<Record<string, unknown>>): NameOf {
  const names = new Map<unknown, string>();
  for (const [name, value] of Object.entries(exported)) {
    if (!(value instanceof z.ZodType)) continue;
    const key = identity(value instanceof z.ZodOptional ? value.unwrap() : value);
    if (key !== undefined && !names.has(key)) names.set(key, pascalCase(name));
  }
  // The error table keeps the schema of one entry of `details` to itself.
  const { details } = (errorBody('INVALID_REQUEST') as z.AnyZodObject).shape;
  names.set(identity(details.unwrap().element), 'ErrorDetail');
  return (schema) => names.get(identity(schema));
}

/**
 * What stays the same when a schema is copied only to describe it differently. `strict()` and the
 * like keep the shape and change the meaning, but the contract exports and uses the schema only after them.
 */
function identity(schema: ZodTypeAny): unknown {
  if (schema instanceof z.ZodObject) return schema._def.shape;
  if (schema instanceof z.ZodEnum) return schema._def.values;
  return undefined;
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

/** `INVALID_REQUEST`, `intent.settled`, `rateQuote` → `InvalidRequest`, `IntentSettled`, `RateQuote`. */
export function pascalCase(name: string): string {
  const words = /^[A-Z0-9_]+$/.test(name) ? name.toLowerCase() : name;
  return words
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
