import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { eventExamples } from '../../contract/examples/events.js';
import { verifyWebhook } from '../../contract/verification/verify-webhook.js';
import { isUpToDate } from '../../scripts/emit-openapi.js';
import { clientDocument } from '../../scripts/openapi/document.js';
import type { JsonSchema } from '../../scripts/openapi/json-schema.js';
import { operations } from '../fixtures/contract/operations.js';
import { document, listedOperations } from '../support/answers/document.js';
import { faultsOf } from '../support/answers/schemas.js';
import { expectFor } from '../support/expect-for.js';

/** Each validator gets a copy, because it changes its input. */
const copy = () => structuredClone(document);

describe('docs/openapi.json', () => {
  it('is what the contract says', () => {
    expectFor('run: npm run openapi', isUpToDate()).toBe(true);
  });

  it('is valid for @seriousme/openapi-schema-validator', async () => {
    const result = await new Validator().validate({ ...copy() });
    expect(result).toEqual({ valid: true });
  });

  it('has error examples that match their schemas', () => {
    for (const [name, { content = {} }] of Object.entries(document.components.responses)) {
      type Media = { schema: object; examples: Record<string, { value: unknown }> };
      const media = content['application/json'] as Media;
      for (const { value } of Object.values(media.examples))
        expectFor(name, faultsOf(media.schema, value)).toEqual([]);
    }
  });

  it('has every operation of the contract, and no other', () => {
    const listed = Object.values(document.paths).flatMap((item) => Object.values(item));
    const ids = listed.map(({ operationId }) => operationId);
    expect(ids.sort()).toEqual(operations.map(([id]) => id).sort());
    const used = new Set([...listed.flatMap(({ tags }) => tags), 'events']);
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
  });

  it('requires the credential of the access class, and none elsewhere', () => {
    const wanted = { admin: ['adminKey'], internal: ['cronSecret'], public: [], signed: [], callback: [] };
    for (const [, { route, path, metadata }] of operations) {
      const security = document.paths[path]?.[route.method.toLowerCase()]?.security ?? [{ none: [] }];
      expect(security.flatMap((one) => Object.keys(one))).toEqual(wanted[metadata.access]);
    }
    for (const { post } of Object.values(document.webhooks)) expect(post.security).toEqual([]);
  });

  it('has no object schema in place: each is a component that generators can name', () => {
    // Generators of clients get it without streams, whose schema is that of an event.
    const { paths } = clientDocument(document);
    const inPlace = objectsWithin({ paths, webhooks: document.webhooks }, '');
    const { schemas, ...components } = document.components;
    inPlace.push(...objectsWithin(components, '/components'));
    for (const [name, { properties = {}, ...rest }] of Object.entries(schemas))
      inPlace.push(...objectsWithin([properties, { ...rest, type: undefined }], `/schemas/${name}`));
    expect(inPlace).toEqual([]);
  });

  it('shows each event by its own example, which its schema and headers accept, under a tag of its own', () => {
    for (const [name, { post }] of Object.entries(document.webhooks)) {
      const media = post.requestBody.content['application/json'];
      const data = eventExamples[name as keyof typeof eventExamples];
      expectFor(name, media?.example).toMatchObject({ event: name, data });
      expectFor(name, faultsOf(media?.schema ?? {}, media?.example)).toEqual([]);
      expectFor(name, post.tags).toEqual(['events']);
      const headers = Object.fromEntries(post.parameters.map((one) => [one.name, String(one.example)]));
      const delivery = { body: JSON.stringify(media?.example), headers, now: 1_795_253_400_000 };
      const secret = /`(only-for[^`]+)`/.exec(post.description)?.[1] ?? '';
      expectFor(name, verifyWebhook({ ...delivery, secret }).event).toBe(name);
    }
  });

  it('names the codes of every operation', () => {
    for (const [operationId, { route, path, metadata }] of operations) {
      const codes = document.paths[path]?.[route.method.toLowerCase()]?.['x-error-codes'] ?? [];
      expectFor(operationId, [...codes].sort()).toEqual([...metadata.errors].sort());
    }
  });

  it('takes and refuses amounts by their pattern alone', () => {
    const parameters = document.paths['/api/rates/{corridor}']?.get?.parameters ?? [];
    const pattern = parameters.find(({ name }) => name === 'amount')?.schema.pattern ?? '';
    expect(pattern).not.toContain('(?');
    const isTaken = (amount: string) => new RegExp(pattern).test(amount);
    for (const amount of ['0.0000001', '0.10', '1', '100.5000000'])
      expectFor(amount, isTaken(amount)).toBe(true);
    for (const amount of ['0', '0.0', '0.0000000', '0.00000001', '01', '1.'])
      expectFor(amount, isTaken(amount)).toBe(false);
  });

  it('uses no keyword that generators for typed languages mishandle', () => {
    const text = JSON.stringify(document);
    expect(text).not.toContain('"const":');
    expect(text).not.toContain('"nullable":');
    expect(text).not.toContain('"schema":{}');
  });
});

/** The members of a schema written in place, as `Component.member.member`, that have no description of their own. */
function undescribed(schema: JsonSchema, at: string): string[] {
  const here = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    ...(isDescribed(member) ? [] : [`${at}.${name}`]),
    ...undescribed(member, `${at}.${name}`),
  ]);
  const within = [schema.items, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return [...here, ...within.flatMap((inner) => (inner === undefined ? [] : undescribed(inner, `${at}[]`)))];
}

/** Whether the schema has a description, either of its own or through the component it refers to. */
function isDescribed({ description = '', $ref, oneOf = [] }: JsonSchema): boolean {
  if (description.length >= 8) return true;
  return [$ref, ...oneOf.map((one) => one.$ref)].some((ref) => {
    const component = document.components.schemas[ref?.slice(ref.lastIndexOf('/') + 1) ?? ''];
    return component !== undefined && isDescribed(component);
  });
}

it('every member of every body, and every parameter, answer, header and tag has a description', () => {
  const { schemas, responses, headers } = document.components;
  const parts = [
    ...Object.entries(responses),
    ...Object.entries(headers),
    ...document.tags.map((tag) => [tag.name, tag] as const),
    ...listedOperations().flatMap(({ operationId, parameters = [] }) =>
      parameters.map((parameter) => [`${operationId} ${parameter.name}`, parameter] as const),
    ),
  ];
  const bare = parts.filter(([, { description }]) => description.length < 8).map(([name]) => name);
  expect(bare).toEqual([]);
  expect(Object.entries(schemas).flatMap(([name, schema]) => undescribed(schema, name))).toEqual([]);
});

/** The paths of object schemas that are not references; examples are not schemas. */
function objectsWithin(part: unknown, path: string): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = 'type' in part && part.type === 'object' && 'properties' in part ? [path] : [];
  const { example: _one, examples: _all, ...rest } = part as Record<string, unknown>;
  return [...own, ...Object.entries(rest).flatMap(([key, value]) => objectsWithin(value, `${path}/${key}`))];
}
