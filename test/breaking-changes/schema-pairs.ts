import type { OpenApi } from '../../scripts/breaking-changes/document-parts.rules.js';
import type { Schema } from '../../scripts/breaking-changes/schema-forms.rules.js';

/** A change of a schema, and the sentence that says what it breaks; without a sentence it breaks nothing. */
export interface SchemaPair {
  title: string;
  before: Schema;
  after: Schema;
  /** The sentence where clients send the schema. */
  request?: string;
  /** The sentence where clients receive the schema, in an answer or in an event. */
  answer?: string;
}

const text: Schema = { type: 'string' };
const object = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
});
const cat = object({ kind: { type: 'string', enum: ['cat'] }, lives: { type: 'integer' } });
const dog = object({ kind: { type: 'string', enum: ['dog'] }, bones: { type: 'integer' } });
const discriminator = { propertyName: 'kind' };

export const schemaPairs: readonly SchemaPair[] = [
  {
    title: 'an optional member is new',
    before: object({ a: text }),
    after: object({ a: text, b: text }),
  },
  {
    title: 'a required member is new',
    before: object({ a: text }),
    after: object({ a: text, b: text }, { required: ['b'] }),
    request: '/b is new and has to be sent',
  },
  {
    title: 'a member is gone',
    before: object({ a: text, b: text }),
    after: object({ a: text }),
    request: '/b is no longer read',
    answer: '/b is no longer there',
  },
  {
    title: 'a member is gone from an object that takes no further ones',
    before: object({ a: text, b: text }, { additionalProperties: false }),
    after: object({ a: text }, { additionalProperties: false }),
    request: '/b is refused now',
    answer: '/b is no longer there',
  },
  {
    title: 'a member is new in an object that has no further ones',
    before: object({ a: text }, { additionalProperties: false }),
    after: object({ a: text, b: text }, { additionalProperties: false }),
    answer: '/b is new, where no further members were to come',
  },
  {
    title: 'an optional member becomes required',
    before: object({ a: text }),
    after: object({ a: text }, { required: ['a'] }),
    request: '/a has to be sent now',
  },
  {
    title: 'a required member becomes optional',
    before: object({ a: text }, { required: ['a'] }),
    after: object({ a: text }),
    answer: '/a may be missing now',
  },
  {
    title: 'an object takes no further members any more',
    before: object({ a: text }),
    after: object({ a: text }, { additionalProperties: false }),
    request: ' members that are not listed are refused now',
  },
  {
    title: 'an object has further members now',
    before: object({ a: text }, { additionalProperties: false }),
    after: object({ a: text }),
    answer: ' members that are not listed may come now',
  },
  {
    title: 'the values of a map have another type',
    before: object({}, { additionalProperties: text }),
    after: object({}, { additionalProperties: { type: 'integer' } }),
    request: '/* a value of type string is no longer taken',
    answer: '/* may be a value of type integer now',
  },
  {
    title: 'a type is another one',
    before: text,
    after: { type: 'integer' },
    request: ' a value of type string is no longer taken',
    answer: ' may be a value of type integer now',
  },
  {
    title: 'a whole number may be any number',
    before: { type: 'integer' },
    after: { type: 'number' },
    answer: ' may be a value of type number now',
  },
  {
    title: 'one of two types is gone',
    before: { type: ['string', 'integer'] },
    after: text,
    request: ' a value of type integer is no longer taken',
  },
  {
    title: 'null is possible now',
    before: text,
    after: { oneOf: [text, { type: 'null' }] },
    answer: ' may be null now',
  },
  {
    title: 'null is impossible now',
    before: { oneOf: [text, { type: 'null' }] },
    after: text,
    request: ' null is no longer taken',
  },
  {
    title: 'a value is new in a closed list',
    before: { type: 'string', enum: ['a', 'b'] },
    after: { type: 'string', enum: ['a', 'b', 'c'] },
    answer: ' may be c now',
  },
  {
    title: 'a value is new in a list that may grow',
    before: { type: 'string', enum: ['a', 'b'], 'x-open-enum': true },
    after: { type: 'string', enum: ['a', 'b', 'c'], 'x-open-enum': true },
  },
  {
    title: 'a closed list may grow from now on',
    before: { type: 'string', enum: ['a', 'b'] },
    after: { type: 'string', enum: ['a', 'b'], 'x-open-enum': true },
    answer: ' the list of values was closed, and may grow now',
  },
  {
    title: 'a list that may grow is closed',
    before: { type: 'string', enum: ['a', 'b'], 'x-open-enum': true },
    after: { type: 'string', enum: ['a', 'b'] },
  },
  {
    title: 'a value of a list is gone',
    before: { type: 'string', enum: ['a', 'b'] },
    after: { type: 'string', enum: ['a'] },
    request: ' no longer takes b',
  },
  {
    title: 'any text becomes a list of values',
    before: text,
    after: { type: 'string', enum: ['a', 'b'] },
    request: ' takes only a, b now',
  },
  {
    title: 'a list of values becomes any text',
    before: { type: 'string', enum: ['a', 'b'] },
    after: text,
    answer: ' may be other values than a, b now',
  },
  {
    title: 'a list of values becomes a pattern that they fit',
    before: { type: 'string', enum: ['a', 'b'] },
    after: { type: 'string', pattern: '^[ab]$', maxLength: 1 },
    answer: ' may be other values than a, b now',
  },
  {
    title: 'a text may be shorter at most',
    before: { type: 'string', maxLength: 10 },
    after: { type: 'string', maxLength: 5 },
    request: ' `maxLength` was 10 and is 5 now: less is taken than before',
  },
  {
    title: 'a text may be longer',
    before: { type: 'string', maxLength: 5 },
    after: { type: 'string', maxLength: 10 },
    answer: ' `maxLength` was 5 and is 10 now: more may come than before',
  },
  {
    title: 'a text has to have a length',
    before: text,
    after: { type: 'string', minLength: 1 },
    request: ' `minLength` was not there and is 1 now: less is taken than before',
  },
  {
    title: 'a number may be higher',
    before: { type: 'integer', minimum: 0, maximum: 10 },
    after: { type: 'integer', minimum: 0, maximum: 20 },
    answer: ' `maximum` was 10 and is 20 now: more may come than before',
  },
  {
    title: 'a number has to be higher',
    before: { type: 'integer', minimum: 0 },
    after: { type: 'integer', minimum: 1 },
    request: ' `minimum` was 0 and is 1 now: less is taken than before',
  },
  {
    title: 'a number has no lower bound any more',
    before: { type: 'number', exclusiveMinimum: 0 },
    after: { type: 'number' },
    answer: ' `exclusiveMinimum` was 0 and is not there now: more may come than before',
  },
  {
    title: 'a number has to be a multiple',
    before: { type: 'integer' },
    after: { type: 'integer', multipleOf: 5 },
    request: ' `multipleOf` was not there and is 5 now: less is taken than before',
  },
  {
    title: 'a list may hold more',
    before: { type: 'array', items: text, maxItems: 10 },
    after: { type: 'array', items: text, maxItems: 20 },
    answer: ' `maxItems` was 10 and is 20 now: more may come than before',
  },
  {
    title: 'the items of a list have another type',
    before: { type: 'array', items: text },
    after: { type: 'array', items: { type: 'boolean' } },
    request: '/[] a value of type string is no longer taken',
    answer: '/[] may be a value of type boolean now',
  },
  {
    title: 'a pattern is narrower',
    before: { type: 'string', pattern: '^[A-Za-z]+$' },
    after: { type: 'string', pattern: '^[a-z]{1,5}$' },
    request: ' has to fit the new pattern ^[a-z]{1,5}$',
  },
  {
    title: 'a pattern is wider',
    before: { type: 'string', pattern: '^[a-z]{1,5}$' },
    after: { type: 'string', pattern: '^[A-Za-z]+$' },
    answer: ' need no longer fit the pattern ^[a-z]{1,5}$',
  },
  {
    title: 'a pattern is written in another way',
    before: { type: 'string', pattern: '^[0-9]+$' },
    after: { type: 'string', pattern: '^\\d\\d*$' },
  },
  {
    title: 'a format is new',
    before: text,
    after: { type: 'string', format: 'date-time' },
    request: ' has to have the format date-time now',
  },
  {
    title: 'a format is gone',
    before: { type: 'string', format: 'date-time' },
    after: text,
    answer: ' need no longer have the format date-time',
  },
  {
    title: 'a whole number needs more bits',
    before: { type: 'integer', format: 'int32' },
    after: { type: 'integer', format: 'int64' },
    answer: ' need no longer have the format int32',
  },
  {
    title: 'a default is another one',
    before: { type: 'integer', default: 50 },
    after: { type: 'integer', default: 20 },
    request: ' the default was 50, it is 20 now',
  },
  {
    title: 'a default is gone',
    before: { type: 'integer', default: 50 },
    after: { type: 'integer' },
    request: ' the default was 50, there is none now',
  },
  {
    title: 'a union has a further form',
    before: { oneOf: [cat, dog], discriminator },
    after: { oneOf: [cat, dog, object({ kind: { type: 'string', enum: ['cow'] } })], discriminator },
    answer: ' may have the new form kind=cow',
  },
  {
    title: 'a union has a form less',
    before: { anyOf: [cat, dog] },
    after: { anyOf: [dog] },
    request: ' the form kind=cat is no longer taken',
  },
  {
    title: 'one form of a union lacks a member',
    before: { oneOf: [cat, dog], discriminator },
    after: { oneOf: [object({ kind: { type: 'string', enum: ['cat'] } }), dog], discriminator },
    request: '/lives is no longer read',
    answer: '/lives is no longer there',
  },
  {
    title: 'the forms of a union are told apart by nothing',
    before: { oneOf: [cat, dog], discriminator },
    after: { oneOf: [cat, dog] },
    request: ' the forms are no longer told apart by `kind`',
    answer: ' the forms are no longer told apart by `kind`',
  },
  {
    title: 'a value of any kind becomes a text',
    before: {},
    after: text,
    request: ' a value of any type is no longer taken',
  },
  {
    title: 'a second rule holds for a text',
    before: { type: 'string', pattern: '^a' },
    after: { type: 'string', pattern: '^a', allOf: [{ pattern: 'z$' }] },
    request: ' has to fit the new pattern z$',
  },
  {
    title: 'a description is another one',
    before: { type: 'string', description: 'A name.' },
    after: { type: 'string', description: 'The name.' },
  },
];

export type SchemaPlace = 'request' | 'answer' | 'event';

/** A document with the schema at one place. */
export function documentWith(place: SchemaPlace, schema: Schema): OpenApi {
  const body = (at: SchemaPlace) => ({
    content: { 'application/json': { schema: object({ value: at === place ? schema : text }) } },
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    paths: {
      '/things': {
        post: {
          operationId: 'makeThing',
          requestBody: body('request'),
          responses: { 200: { description: 'Made.', ...body('answer') } },
        },
      },
    },
    webhooks: {
      'thing.made': {
        post: {
          operationId: 'onThingMade',
          requestBody: body('event'),
          responses: { '2XX': { description: 'Received.' } },
        },
      },
    },
  } as OpenApi;
}
