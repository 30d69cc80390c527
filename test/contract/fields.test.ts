import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import type { JsonSchema } from '../../scripts/openapi/json-schema.js';
import { document, listedOperations } from '../support/answers/document.js';

const exceptions: { undescribedFields: string[] } = JSON.parse(
  readFileSync(new URL('./exceptions.json', import.meta.url), 'utf8'),
);

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
function isDescribed(schema: JsonSchema): boolean {
  if (schema.description !== undefined && schema.description.length >= 8) return true;
  const refs = [schema.$ref, ...(schema.oneOf ?? []).map(({ $ref }) => $ref)].filter(
    (ref) => ref !== undefined,
  );
  return refs.some((ref) => {
    const component = document.components.schemas[ref.slice(ref.lastIndexOf('/') + 1)];
    return component !== undefined && isDescribed(component);
  });
}

const found = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
  undescribed(schema, name),
);
const allowed = exceptions.undescribedFields.map((entry) => ({
  entry,
  pattern: new RegExp(`^${entry.replaceAll('.', '\\.').replaceAll('*', '[A-Za-z]+')}$`),
}));

it('every field of every body has a description, unless exceptions.json lists it', () => {
  expect(found.filter((field) => !allowed.some(({ pattern }) => pattern.test(field)))).toEqual([]);
});

it('exceptions.json has no entry that is no longer needed', () => {
  const unneeded = allowed.filter(({ pattern }) => !found.some((field) => pattern.test(field)));
  expect(unneeded.map(({ entry }) => entry)).toEqual([]);
});

it('every parameter has a description', () => {
  const lacking = listedOperations().flatMap(({ operationId, parameters = [] }) =>
    parameters
      .filter(({ description }) => description.length < 8)
      .map(({ name }) => `${operationId} ${name}`),
  );
  expect(lacking).toEqual([]);
});

it('every answer, header and tag has a description', () => {
  const parts = [
    ...Object.entries(document.components.responses),
    ...Object.entries(document.components.headers),
    ...document.tags.map((tag) => [tag.name, tag] as const),
  ];
  expect(parts.filter(([, part]) => part.description.length < 8).map(([name]) => name)).toEqual([]);
});
