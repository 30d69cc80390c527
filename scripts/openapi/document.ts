import type { AppRoute, AppRouter } from '@ts-rest/core';
import { generateOpenApi } from '@ts-rest/open-api';
import { createErrorAnswers, headerComponents } from './answers.js';
import type { JsonSchema } from './json-schema.js';
import { type OperationObject, operationObject, type ParameterName } from './operation-object.js';
import { type Examples, type Operation, operationsOf } from './operations.js';
import { webhooksOf } from './webhooks.js';
import { written } from './written.js';
import { createSchemaWriter, exportedNames } from './zod-schema.js';

type OperationMapper = NonNullable<NonNullable<Parameters<typeof generateOpenApi>[2]>['operationMapper']>;
type MappedOperation = ReturnType<OperationMapper>;

export type OpenApiDocument = ReturnType<typeof buildDocument>;

/**
 * The OpenAPI 3.1 document of a contract. Depends on nothing else, so that the same contract always gives the same
 * bytes. `exported` are the contract's exports, whose names become component names.
 */
export function buildDocument(
  contract: AppRouter,
  examples: Examples,
  exported: Readonly<Record<string, unknown>>,
  { version }: { version: string },
) {
  const writer = createSchemaWriter(exportedNames(exported));
  const errors = createErrorAnswers(writer);
  const ordered = publicReadsFirst(operationsOf(contract, examples));
  const byRoute = new Map<AppRoute, Operation>(ordered.map((operation) => [operation.route, operation]));
  const router = Object.fromEntries(ordered.map(({ metadata, route }) => [metadata.operationId, route]));
  const { servers, tags, securitySchemes } = written;
  const { title, summary, description, license } = written.info;
  const info = { title, summary, version, description, license };
  // The library walks the routes and their parameters. It writes OpenAPI 3.0 without names, headers, examples and
  // webhooks, so each operation is written anew from the contract (docs/adr/0002-contract-first-on-ts-rest.md).
  const operationMapper: OperationMapper = ({ parameters = [] }, route) => {
    const named = parameters.flatMap((each) => ('name' in each ? [each as ParameterName] : []));
    const operation = byRoute.get(route) as Operation;
    return operationObject(operation, named, writer, errors) as object as MappedOperation;
  };
  const walked = generateOpenApi(router, { info }, { operationMapper });
  const paths = walked.paths as Record<string, Record<string, OperationObject>>;
  const webhooks = webhooksOf(writer);
  return {
    openapi: '3.1.0',
    info,
    servers,
    tags,
    paths,
    webhooks,
    components: {
      schemas: writer.components(),
      responses: errors.components(),
      headers: headerComponents(writer),
      securitySchemes,
    },
  };
}

function publicReadsFirst(operations: readonly Operation[]): Operation[] {
  const isPublicRead = ({ route, metadata }: Operation) =>
    route.method === 'GET' && metadata.access === 'public';
  return [...operations.filter(isPublicRead), ...operations.filter((one) => !isPublicRead(one))];
}

export type ClientDocument = Omit<OpenApiDocument, 'webhooks'>;

/**
 * The document without `webhooks` and `links`, for generators of clients that stumble on them (openapi-generator 7.25
 * takes no link with an object as its body), and without what only webhooks use: what receivers implement is no part of a
 * client. Streams of events are left out as well: a generated call returns when the whole answer is there, which is never.
 */
export function clientDocument({ webhooks, ...document }: OpenApiDocument): ClientDocument {
  const onlyTheirs = new Set(Object.values(webhooks).flatMap(({ post }) => post.tags));
  const tags = document.tags.filter(({ name }) => !onlyTheirs.has(name));
  const paths = withoutLinks(withoutStreams(document.paths));
  const { schemas, ...components } = document.components;
  const needed = schemasReachedFrom([paths, components], schemas);
  const kept = Object.entries(schemas).filter(([name]) => needed.has(name));
  return { ...document, tags, paths, components: { ...components, schemas: Object.fromEntries(kept) } };
}

function withoutStreams(paths: OpenApiDocument['paths']): OpenApiDocument['paths'] {
  const isStream = ({ responses }: OperationObject) =>
    Object.values(responses).some((one) => 'content' in one && 'text/event-stream' in (one.content ?? {}));
  const kept = Object.entries(paths).map(([path, item]): [string, Record<string, OperationObject>] => [
    path,
    Object.fromEntries(Object.entries(item).filter(([, operation]) => !isStream(operation))),
  ]);
  return Object.fromEntries(kept.filter(([, item]) => Object.keys(item).length > 0));
}

/** No other member of an operation has this name. */
function withoutLinks<T>(part: T): T {
  return JSON.parse(JSON.stringify(part, (name, value) => (name === 'links' ? undefined : value)));
}

/** The names of the components that a part of the document refers to, by itself or through others. */
export function schemasReachedFrom(
  part: unknown,
  schemas: Readonly<Record<string, JsonSchema>>,
): Set<string> {
  const reached = new Set<string>();
  let found = schemaNamesIn(part);
  while (found.length > 0) {
    for (const name of found) reached.add(name);
    found = found.flatMap((name) => schemaNamesIn(schemas[name])).filter((name) => !reached.has(name));
  }
  return reached;
}

function schemaNamesIn(part: unknown): string[] {
  const references = JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  return [...references].map(([, name = '']) => name);
}
