import { describe, expect, it } from '@jest/globals';
import { type ZodTypeAny, z } from 'zod';
import { createSchemaWriter, exportedNames, pascalCase } from '../../../scripts/openapi/zod-schema.js';

const write = (schema: ZodTypeAny) => createSchemaWriter(() => undefined).write(schema);

describe('what goes over the wire is written as JSON Schema', () => {
  it.each<[string, ZodTypeAny, object]>([
    ['a bounded string', z.string().min(1).max(9), { type: 'string', minLength: 1, maxLength: 9 }],
    ['a pattern', z.string().regex(/^a+$/), { type: 'string', pattern: '^a+$' }],
    [
      'two patterns, both in force',
      z.string().regex(/a/).regex(/b/),
      { type: 'string', pattern: 'a', allOf: [{ pattern: 'b' }] },
    ],
    ['an instant', z.string().datetime(), { type: 'string', format: 'date-time' }],
    [
      'a small integer',
      z.number().int().min(0).max(9),
      { type: 'integer', minimum: 0, maximum: 9, format: 'int32' },
    ],
    ['an unbounded integer', z.number().int(), { type: 'integer', format: 'int64' }],
    ['one literal, as an enum', z.literal('x'), { type: 'string', enum: ['x'] }],
    ['several literals', z.union([z.literal(7), z.literal(30)]), { type: 'integer', enum: [7, 30] }],
    ['null or a string', z.string().nullable(), { oneOf: [{ type: 'string' }, { type: 'null' }] }],
    [
      'null or one of',
      z.enum(['a']).nullable(),
      { oneOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
    ],
    ['a list', z.array(z.boolean()).max(3), { type: 'array', items: { type: 'boolean' }, maxItems: 3 }],
    ['a map', z.record(z.boolean()), { type: 'object', additionalProperties: { type: 'boolean' } }],
    ['a refinement, as what it refines', z.string().refine((text) => text !== ''), { type: 'string' }],
    [
      'a closed object with an optional member',
      z.object({ a: z.boolean(), b: z.boolean().optional() }).strict(),
      {
        type: 'object',
        properties: { a: { type: 'boolean' }, b: { type: 'boolean' } },
        required: ['a'],
        additionalProperties: false,
      },
    ],
    [
      'the outermost description',
      z.string().describe('in').optional().describe('out'),
      { type: 'string', description: 'out' },
    ],
  ])('%s', (_name, schema, wanted) => {
    expect(write(schema)).toEqual(wanted);
  });

  it.each<[string, ZodTypeAny]>([
    ['a date', z.date()],
    ['a set', z.set(z.string())],
    ['an intersection', z.object({}).and(z.object({}))],
    ['a string check', z.string().cuid()],
    ['a number check', z.number().finite()],
    ['an exclusive bound', z.number().gt(0)],
    ['a union told apart by a member', z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })])],
    ['a default', z.enum(['a', 'b']).default('a')],
    ['a pattern with a flag', z.string().regex(/a/i)],
    ['literals of two types', z.union([z.literal('a'), z.literal(1)])],
  ])('%s has no rule, and is refused rather than written as anything', (_name, schema) => {
    expect(() => write(schema)).toThrow();
  });
});

describe('components', () => {
  const harbour = z.object({ name: z.string() }).describe('A harbour.');
  const colour = z.enum(['red', 'green']);
  const writer = createSchemaWriter(exportedNames({ harbour, colour, notASchema: 1, name: z.string() }));

  it('are named after the exports of the contract, even where a copy has another description', () => {
    expect(writer.write(harbour)).toEqual({ $ref: '#/components/schemas/Harbour' });
    expect(writer.write(harbour.describe('The next one.'))).toEqual({
      $ref: '#/components/schemas/Harbour',
      description: 'The next one.',
    });
    expect(writer.write(colour.optional())).toEqual({ $ref: '#/components/schemas/Colour' });
    expect(Object.keys(writer.components())).toEqual(['Colour', 'Harbour']);
  });

  it('become oneOf with null where they are nullable', () => {
    expect(writer.write(harbour.nullable().describe('Or none.'))).toEqual({
      oneOf: [{ $ref: '#/components/schemas/Harbour' }, { type: 'null' }],
      description: 'Or none.',
    });
  });

  it('refuse a name that another schema has', () => {
    writer.define('Same', z.string());
    expect(writer.define('Same', z.string())).toEqual({ $ref: '#/components/schemas/Same' });
    expect(() => writer.define('Same', z.number())).toThrow(/two different schemas/);
  });

  it.each([
    ['INVALID_REQUEST', 'InvalidRequest'],
    ['intent.settled', 'IntentSettled'],
    ['rateQuote', 'RateQuote'],
  ])('%s is called %s', (name, wanted) => {
    expect(pascalCase(name)).toBe(wanted);
  });
});
