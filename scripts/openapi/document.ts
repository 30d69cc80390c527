import type { AppRouter } from '@ts-rest/core';
import { type Answer, createErrorAnswers } from './error-answers.js';
import { type Header, headerComponents } from './headers.js';
import { description, securitySchemes, servers } from './info.js';
import type { JsonSchema } from './json-schema.js';
import { type OperationObject, operationObject } from './operation-object.js';
import { type Examples, operationsOf } from './operations.js';
import { exportedNames } from './schema-names.js';
import { tagsOf } from './tags.js';
import { webhooksOf } from './webhooks.js';
import { createSchemaWriter } from './zod-schema.js';

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: object;
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  webhooks: ReturnType<typeof webhooksOf>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, Answer>;
    headers: Record<string, Header>;
    securitySchemes: typeof securitySchemes;
  };
}

/**
 * The OpenAPI 3.1 document of a contract. Depends on nothing else, so that the same contract always gives the same
 * bytes. `exported` are the contract's exports, whose names become component names.
 */
export function buildDocument(
  contract: AppRouter,
  examples: Examples,
  exported: Readonly<Record<string, unknown>>,
  options: { version: string },
): OpenApiDocument {
  const writer = createSchemaWriter(exportedNames(exported));
  const errors = createErrorAnswers(writer);
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operationsOf(contract, examples)) {
    const item = paths[operation.path] ?? {};
    paths[operation.path] = item;
    item[operation.route.method.toLowerCase()] = operationObject(operation, writer, errors);
  }
  const webhooks = webhooksOf(writer);
  const operations = [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) =>
    Object.values(item),
  );
  const responses = errors.components();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fairlead',
      summary: 'Off-ramp rates, anchor reputation and provable scores.',
      version: options.version,
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers,
    tags: tagsOf(new Set(operations.flatMap((operation) => operation.tags))),
    paths,
    webhooks,
    components: {
      schemas: writer.components(),
      responses,
      headers: onlyUsed(headerComponents(writer), [paths, responses]),
      securitySchemes,
    },
  };
}

function onlyUsed<T>(components: Record<string, T>, users: unknown): Record<string, T> {
  const text = JSON.stringify(users);
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
}
