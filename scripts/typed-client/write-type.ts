import { componentName, type JsonSchema } from '../openapi/json-schema.js';

/** Writes JSON Schema as TypeScript. */
export type TypeWriter = ReturnType<typeof createTypeWriter>;

export type Components = Readonly<Record<string, JsonSchema>>;

/** `{}` in TypeScript is anything but null: an object without members is one of these. */
const noMembers = 'Record<string, never>';
const anyMembers = 'Record<string, unknown>';

/** `open`: the components that take further members, which are those of requests that do not refuse them. */
export function createTypeWriter(components: Components, open: ReadonlySet<string> = new Set()) {
  /** The members of a union; any other schema is the only member. */
  function alternatives(schema: JsonSchema): string[] {
    const several = schema.oneOf ?? schema.anyOf;
    if (several !== undefined) return several.flatMap(alternatives);
    if (schema.$ref !== undefined) return [named(componentName(schema.$ref))];
    if (schema.enum !== undefined) return schema.enum.map(literal);
    const { type = 'unknown' } = schema;
    if (type === 'array') return [arrayOf(alternatives(schema.items ?? {}))];
    // Every object of the document is a component.
    if (type === 'object') throw new Error('an object without a name');
    return [type === 'integer' ? 'number' : type];
  }

  function named(name: string): string {
    const { type, properties = {} } = components[name] ?? {};
    if (type === 'object' && Object.keys(properties).length === 0)
      return open.has(name) ? anyMembers : noMembers;
    return name;
  }

  function member(name: string, schema: JsonSchema, isRequired: boolean): string {
    const types = [...alternatives(schema), ...(isRequired ? [] : ['undefined'])];
    const start = `  ${propertyName(name)}${isRequired ? '' : '?'}:`;
    return `${doc(describe(schema, components), '  ')}${union(start, types)}`;
  }

  /** An interface with the description of every member. */
  function interfaceOf(name: string, schema: JsonSchema): string {
    const { properties = {}, required = [] } = schema;
    const members = Object.entries(properties).map(([key, value]) =>
      member(key, value, required.includes(key)),
    );
    if (open.has(name)) members.push(`${doc('Anything else.', '  ')}  [member: string]: unknown;\n`);
    return `${doc(schema.description)}export interface ${name} {\n${members.join('')}}\n`;
  }

  /** A component: an interface of an object, an alias of anything else. */
  function declare(name: string, schema: JsonSchema): string {
    if (schema.type === 'object') return interfaceOf(name, schema);
    return `${doc(schema.description)}${union(`export type ${name} =`, alternatives(schema))}`;
  }

  return { alternatives, interfaceOf, declare };
}

/** The description of a schema, or that of the component that it refers to. */
function describe(schema: JsonSchema, components: Components): string | undefined {
  if (schema.description !== undefined) return schema.description;
  const ref = schema.$ref ?? schema.oneOf?.[0]?.$ref;
  return ref === undefined ? undefined : components[componentName(ref)]?.description;
}

function literal(value: string | number | boolean): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function arrayOf(types: readonly string[]): string {
  return types.length === 1 ? `${types[0]}[]` : `(${types.join(' | ')})[]`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}

/** `type A = B | C;`, or a member of that type. Nobody formats what is generated. */
export function union(start: string, types: readonly string[]): string {
  return `${start} ${types.join(' | ')};\n`;
}

/** A docstring; nothing for a schema without a description. */
export function doc(text: string | undefined, indent = ''): string {
  if (text === undefined || text === '') return '';
  return `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', `\n${indent} * `)} */\n`;
}
