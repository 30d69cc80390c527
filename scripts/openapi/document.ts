import type { AppRoute, AppRouter } from '@ts-rest/core';
import { generateOpenApi } from '@ts-rest/open-api';
import { createErrorAnswers, headerComponents } from './answers.js';
import type { JsonSchema } from './json-schema.js';
import { type OperationObject, operationObject, type ParameterName } from './operation-object.js';
import { type Examples, type Operation, operationsOf } from './operations.js';
import { webhooksOf } from './webhooks.js';
import { createSchemaWriter, exportedNames } from './zod-schema.js';

/** What the document says of the service as a whole; Markdown. */
const description = `Fairlead compares what anchors pay out for a stablecoin, remembers who delivered, publishes signed and
provable scores, and tells subscribers by webhook.

**Values.** Amounts and rates are decimal strings, never floats; a rate is fiat per one stablecoin, all fees in.
Instants are ISO 8601 in UTC with milliseconds. No rate here is firm: it becomes so in the anchor's own flow.

**Lists** answer \`{items, nextCursor}\`; send \`nextCursor\` back as \`cursor\` for the next page, until it is null.

**Errors** all have one shape, \`{code, message}\`, and the further members that their code promises. Programs read
\`code\`; [one page](/docs/errors.md) says when each occurs, whether to retry and what to do. A path
that is not served is 404 \`NOT_FOUND\`, a method that a path does not have is 405 \`METHOD_NOT_ALLOWED\`.

**Limits.** Each endpoint has a counter of its own for each client, in a fixed window. Every answer of a limited
endpoint carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; a 429 says in
\`Retry-After\`, as in its body, how many seconds to wait. HEAD counts as GET.

**Caching.** Answers with an \`ETag\` may be asked for again with \`If-None-Match\`; \`Cache-Control\` says how long
they stay fresh. Errors are never to be kept.

**Tracing.** Every answer carries \`X-Request-Id\`; a caller's own is kept where it has 8 to 64 letters, digits, dots,
underscores or hyphens.`;

const securitySchemes = {
  adminKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Admin-Key',
    description: "The operator's key: a value of the server's environment variable ADMIN_SECRET_KEY.",
  },
  cronSecret: {
    type: 'http',
    scheme: 'bearer',
    description: "The scheduler's credential: a value of the server's environment variable CRON_SECRET.",
  },
} as const;

/** The committed document names the address of a service started by \`npm start\`; a service names its own. */
const servers = [
  { url: 'http://127.0.0.1:8080', description: 'A service started on this machine with its defaults.' },
];

/** What each group of operations is about, in the order in which a newcomer meets them: public reads first. */
const tagDescriptions = {
  rates:
    'What the anchors of a corridor pay out for an amount, the best first, and the best offer of every corridor.',
  corridors: 'The routes from a stablecoin to a currency that can be asked for.',
  anchors:
    'Who pays out: where each anchor publishes its endpoints, how a wallet starts there, and what was observed of it.',
  reputation: 'How well each anchor keeps its promises: its record, its score and its rank.',
  scores: 'The scores of all anchors in one versioned list, each bound to a published batch.',
  publisher: 'The signed, append-only log of the scores, with proofs that anyone can check.',
  intents: 'An intent to convert and be paid out: it is filed, followed and its outcome recorded.',
  disputes: 'Objections to a recorded outcome, signed by a party to it.',
  webhooks: 'Who is told of events, and what became of each delivery.',
  events: 'What receivers of webhooks implement: one POST for each kind of event.',
  admin: "The operator's own: everything here needs the admin key.",
  internal: 'Runs that a scheduler starts: everything here needs the cron bearer.',
} as const satisfies Record<string, string>;

/** The tags in use, with descriptions; throws on a tag that has none. */
function tagsOf(used: ReadonlySet<string>): { name: string; description: string }[] {
  const described: [string, string][] = Object.entries(tagDescriptions);
  const unknown = [...used].filter((name) => !described.some(([known]) => known === name));
  if (unknown.length > 0)
    throw new Error(`describe the tag ${unknown.join(', ')} in scripts/openapi/document.ts`);
  return described.flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : []));
}

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
  const summary = 'Off-ramp rates, anchor reputation and provable scores.';
  const license = { name: 'MIT', identifier: 'MIT' };
  const info = { title: 'Fairlead', summary, version, description, license };
  // The library walks the routes and their parameters. It writes OpenAPI 3.0 without names, headers, examples and
  // webhooks, so each operation is written anew from the contract (docs/adr/0002-contract-first-on-ts-rest.md).
  const operationMapper: OperationMapper = ({ parameters = [] }, route) => {
    const named = parameters.flatMap((each) => ('name' in each ? [each as ParameterName] : []));
    return operationObject(
      byRoute.get(route) as Operation,
      named,
      writer,
      errors,
    ) as object as MappedOperation;
  };
  const walked = generateOpenApi(router, { info }, { operationMapper });
  const paths = walked.paths as Record<string, Record<string, OperationObject>>;
  const webhooks = webhooksOf(writer);
  const items = [...Object.values(paths), ...Object.values(webhooks)];
  const used = new Set(items.flatMap((item) => Object.values(item).flatMap(({ tags }) => tags)));
  const responses = errors.components();
  return {
    openapi: '3.1.0',
    info,
    servers,
    tags: tagsOf(used),
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

function publicReadsFirst(operations: readonly Operation[]): Operation[] {
  const isPublicRead = ({ route, metadata }: Operation) =>
    route.method === 'GET' && metadata.access === 'public';
  return [...operations.filter(isPublicRead), ...operations.filter((one) => !isPublicRead(one))];
}

function onlyUsed<T>(components: Record<string, T>, users: unknown): Record<string, T> {
  const text = JSON.stringify(users);
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
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
