import swaggerParser from '@apidevtools/swagger-parser';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { staleFiles } from '../../scripts/emit-openapi.js';
import { document, listedOperations } from '../support/answers/document.js';
import { faultsOf } from '../support/answers/schemas.js';
import { expectFor } from '../support/expect-for.js';
import { operations } from './operations.js';

/** The validators change what they are given: each gets a copy. */
const copy = () => structuredClone(document);

describe('docs/openapi.json', () => {
  it('and docs/error-codes.md are up to date with the contract', () => {
    expectFor('run: npm run openapi', staleFiles()).toEqual([]);
  });

  it('is valid for @seriousme/openapi-schema-validator', async () => {
    const result = await new Validator().validate({ ...copy() });
    expect(result).toEqual({ valid: true });
  });

  it('is valid for @apidevtools/swagger-parser', async () => {
    const api = await swaggerParser.validate(
      copy() as unknown as Parameters<typeof swaggerParser.validate>[0],
    );
    expect(api.info.title).toBe('Fairlead');
  });

  it('has components that ajv compiles as JSON Schema 2020-12, every keyword and format known', () => {
    for (const name of Object.keys(document.components.schemas)) {
      expectFor(name, () => faultsOf({ $ref: `#/components/schemas/${name}` }, null)).not.toThrow();
    }
  });

  it('has parameters and headers that ajv compiles, with examples that match them', () => {
    for (const { operationId, parameters = [] } of listedOperations()) {
      for (const { name, schema, example } of parameters) {
        const faults = faultsOf(schema, example ?? null);
        if (example !== undefined) expectFor(`${operationId} ${name}`, faults).toEqual([]);
      }
    }
    for (const { schema } of Object.values(document.components.headers)) faultsOf(schema, null);
  });

  it('has error examples that match their schemas', () => {
    for (const [name, { content = {} }] of Object.entries(document.components.responses)) {
      const media = content['application/json'] as {
        schema: object;
        examples: Record<string, { value: unknown }>;
      };
      for (const { value } of Object.values(media.examples))
        expectFor(name, faultsOf(media.schema, value)).toEqual([]);
    }
  });

  it('has every operation of the contract, and no other', () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(ids.sort()).toEqual(operations.map(([id]) => id).sort());
  });

  it('requires the credential of the access class, and none elsewhere', () => {
    const wanted = { admin: ['adminKey'], internal: ['cronSecret'], public: [], signed: [], callback: [] };
    for (const [, { route, path, metadata }] of operations) {
      const security = document.paths[path]?.[route.method.toLowerCase()]?.security ?? [{ none: [] }];
      expect(security.flatMap((one) => Object.keys(one))).toEqual(wanted[metadata.access]);
    }
    for (const { post } of Object.values(document.webhooks)) expect(post.security).toEqual([]);
  });

  it('uses no keyword that generators for typed languages mishandle', () => {
    const text = JSON.stringify(document);
    expect(text).not.toContain('"const":');
    expect(text).not.toContain('"nullable":');
    expect(text).not.toContain('"schema":{}');
  });

  it('has no unused component', () => {
    const text = JSON.stringify(document);
    const { securitySchemes, ...kinds } = document.components;
    const unused = Object.entries(kinds).flatMap(([kind, components]) =>
      Object.keys(components).filter((name) => !text.includes(`"#/components/${kind}/${name}"`)),
    );
    expect(unused).toEqual([]);
    expect(Object.keys(securitySchemes)).toEqual(['adminKey', 'cronSecret']);
  });
});
