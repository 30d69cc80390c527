import type { OpenApiDocument } from './document.js';
import type { JsonSchema } from './json-schema.js';
import type { OperationObject } from './operation-object.js';

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
