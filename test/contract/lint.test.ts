import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { errorTable } from '../../contract/errors.js';
import { type RateLimitClass, rateLimitClasses } from '../../contract/rate-limits.js';
import { codesByStatus, type Example, successStatuses } from '../../scripts/openapi/operations.js';
import { fieldsOf } from '../../scripts/openapi/zod-schema.js';
import { operations } from '../fixtures/contract/operations.js';
import { document } from '../support/answers/document.js';
import { faultsOf } from '../support/answers/schemas.js';
import { expectFor } from '../support/expect-for.js';

const limits: { endpoints: (RateLimitClass & { method: string; path: string })[]; default: RateLimitClass } =
  JSON.parse(readFileSync(new URL('../vectors/limits.json', import.meta.url), 'utf8'));

describe.each(operations)('%s', (operationId, { route, metadata, example, path }) => {
  it('has an id of its own, a summary of one line, and a description that says more', () => {
    expect(operationId).toMatch(/^[a-z]+([A-Z][a-z0-9]*)*$/);
    expect(operations.filter(([other]) => other === operationId)).toHaveLength(1);
    expect(route.summary).toMatch(/^[A-Z][^\n]{5,80}[^.\n]$/);
    expect(route.description?.length ?? 0).toBeGreaterThanOrEqual(40);
    expect(route.description).not.toBe(route.summary);
  });

  it('says who may call it, whether it may be cached, and how often: as the interface specification does', () => {
    expect(['public', 'admin', 'internal', 'signed', 'callback']).toContain(metadata.access);
    expect(metadata.cache).toMatch(route.method === 'GET' ? /^(etag|no-store)$/ : /^no-store$/);
    expect(document.tags.map(({ name }) => name)).toContain(metadata.tag);
    const row = limits.endpoints.find((one) => one.method === route.method && one.path === route.path);
    const { points, windowSeconds, key } = row ?? limits.default;
    expect(rateLimitClasses[metadata.limit]).toEqual({ points, windowSeconds, key });
  });

  it('answers only the statuses it lists, and lists a code for every error', () => {
    expect(route.strictStatusCodes).toBe(true);
    const listed = [...codesByStatus(metadata.errors).keys()].sort();
    const answered = Object.keys(route.responses).map(Number);
    expect(answered.filter((status) => status >= 400).sort()).toEqual(listed);
    expect(successStatuses(route).length).toBeGreaterThan(0);
    expectFor('a code is listed twice', new Set(metadata.errors).size).toBe(metadata.errors.length);
    for (const code of metadata.errors) expect(Object.keys(errorTable)).toContain(code);
  });

  it('refuses unknown members in query and body, except in callbacks, whose body anchors define', () => {
    const body = 'body' in route && metadata.access !== 'callback' ? route.body : undefined;
    for (const schema of [route.query, body]) {
      const object = unwrap(schema);
      if (object !== undefined) expect(object._def.unknownKeys).toBe('strict');
    }
    expectFor('a route without a strict query takes any', route.query).toBeInstanceOf(z.ZodType);
  });

  it('describes a parameter for every part of its path', () => {
    const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
    expect(Object.keys(fieldsOf(route.pathParams)).sort()).toEqual(inPath.sort());
  });

  it('has an example that its own schemas accept', () => {
    expectAccepted(route.pathParams, example.params ?? {});
    expectAccepted(route.query, example.query ?? {});
    if ('body' in route) expectAccepted(route.body, example.body);
    const fitting = successStatuses(route).filter((status) =>
      accepts(route.responses[status], example.answer),
    );
    expectFor('the example answer fits no success status', fitting).not.toEqual([]);
  });

  it('has an example answer without members that the document does not list', () => {
    const responses = document.paths[path]?.[route.method.toLowerCase()]?.responses ?? {};
    const schemas = successStatuses(route).flatMap((status) => {
      const response = responses[status];
      const content = response !== undefined && 'content' in response ? response.content : undefined;
      const media = content?.['application/json'];
      return media !== undefined && 'schema' in media ? [media.schema as object] : [];
    });
    const faults = schemas.map((schema) => faultsOf(schema, example.answer));
    if (schemas.length > 0) expect(faults).toContainEqual([]);
  });

  it('leads only to operations that there are, with values of its example that they take', () => {
    for (const [next, takes] of Object.entries(metadata.leadsTo ?? {})) {
      const target = operations.find(([id]) => id === next)?.[1];
      if (target === undefined) throw new Error(`there is no operation ${next}`);
      const body = 'body' in target.route ? target.route.body : undefined;
      const inBody = Object.entries(fieldsOf(body)).map(([name, schema]) => [`body.${name}`, schema]);
      const { pathParams, query } = target.route;
      const fields = { ...fieldsOf(pathParams), ...fieldsOf(query), ...Object.fromEntries(inBody) };
      for (const [name, expression] of Object.entries(takes)) {
        const value = evaluate(expression, example);
        const sent = name.startsWith('body.') ? value : String(value);
        expectFor(`${next} ${name} ${expression}`, fields[name]?.safeParse(sent).success).toBe(true);
      }
    }
  });
});

/** Evaluates a runtime expression of OpenAPI, with an example as the exchange. */
function evaluate(expression: string, { params, body, answer }: Example): unknown {
  const [, source = '', pointer = ''] =
    /^\$(response\.body#|request\.body#|request\.path)[./](.+)$/.exec(expression) ?? [];
  const whole = { 'response.body#': answer, 'request.body#': body, 'request.path': params }[source];
  // biome-ignore lint/suspicious/noExplicitAny: walks any example
  return pointer.split('/').reduce((at: any, key) => at?.[key], whole);
}

/** The object schema inside optional wrappers and refinements. */
function unwrap(schema: unknown): z.AnyZodObject | undefined {
  if (schema instanceof z.ZodOptional) return unwrap(schema.unwrap());
  if (schema instanceof z.ZodEffects) return unwrap(schema.innerType());
  return schema instanceof z.ZodObject ? schema : undefined;
}

function accepts(schema: unknown, value: unknown): boolean {
  return schema instanceof z.ZodType ? schema.safeParse(value).success : value === undefined;
}

function expectAccepted(schema: unknown, value: unknown): void {
  if (schema instanceof z.ZodType) expect(schema.safeParse(value)).toMatchObject({ success: true });
}
