import { readFileSync } from 'node:fs';
import type { OpenApiDocument } from '../../../scripts/openapi/document.js';
import type { JsonSchema } from '../../../scripts/openapi/json-schema.js';
import type { OperationObject } from '../../../scripts/openapi/operation-object.js';

/** The committed document; a separate test checks that it is up to date. */
export const document: OpenApiDocument = JSON.parse(
  readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'),
);

type ListedOperation = Pick<OperationObject, 'operationId' | 'parameters'>;

/** Every operation of the document, those that receivers of webhooks implement included. */
export function listedOperations(): ListedOperation[] {
  const { paths, webhooks } = document;
  const ofPaths = Object.values(paths).flatMap((item) => Object.values(item));
  return [...ofPaths, ...Object.values(webhooks).map(({ post }) => post)];
}

export interface DocumentedResponse {
  headers: Record<string, { required: boolean; schema: JsonSchema }>;
  /** Undefined where the answer has no body. For a stream: the schema of the data of each event. */
  schema: JsonSchema | undefined;
  /** The types other than JSON that the answer may have. */
  otherTypes: string[];
}

const matchers = Object.entries(document.paths)
  .map(([template, methods]) => ({
    pattern: new RegExp(
      `^${template.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`,
    ),
    parameters: template.split('{').length - 1,
    methods,
  }))
  // A fixed path has precedence over a template, as in the service.
  .sort((a, b) => a.parameters - b.parameters);

/** The operation of a method and path (a query is ignored); HEAD is GET's. */
export function findOperation(method: string, target: string): OperationObject | undefined {
  const path = target.replace(/[?#].*$/, '');
  const found = matchers.find(({ pattern }) => pattern.test(path));
  return found?.methods[method === 'HEAD' ? 'get' : method.toLowerCase()];
}

/** The document's description of an answer, with references resolved; undefined for a status that it does not list. */
export function findResponse(operation: OperationObject, status: number): DocumentedResponse | undefined {
  const listed = operation.responses[status];
  return listed === undefined ? undefined : resolveResponse(listed);
}

/** An answer of `components`; undefined where none has this name. */
export function componentResponse(name: string): DocumentedResponse | undefined {
  const response = document.components.responses[name];
  return response === undefined ? undefined : resolveResponse(response);
}

function resolveResponse(listed: OperationObject['responses'][string]): DocumentedResponse {
  const response = '$ref' in listed ? componentOf(document.components.responses, listed.$ref) : listed;
  const headers = Object.entries(response.headers ?? {}).map(
    ([name, { $ref }]) => [name, componentOf(document.components.headers, $ref)] as const,
  );
  const content = response.content?.['application/json'];
  const events = response.content?.['text/event-stream'] as { schema: JsonSchema } | undefined;
  return {
    headers: Object.fromEntries(headers),
    schema:
      content !== undefined && 'schema' in content
        ? (content.schema as JsonSchema)
        : events?.schema.properties?.data?.contentSchema,
    otherTypes: Object.keys(response.content ?? {}).filter((type) => type !== 'application/json'),
  };
}

function componentOf<T>(components: Record<string, T>, ref: string): T {
  const component = components[ref.slice(ref.lastIndexOf('/') + 1)];
  if (component === undefined) throw new Error(`the document has no ${ref}`);
  return component;
}
