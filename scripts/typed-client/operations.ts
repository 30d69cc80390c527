import type { AppRouter } from '@ts-rest/core';
import type { ErrorCode } from '../../contract/errors.js';
import type { OpenApiDocument } from '../openapi/document.js';
import { componentName, type JsonSchema } from '../openapi/json-schema.js';
import type { OperationObject } from '../openapi/operation-object.js';
import { codesByStatus, type Operation, operationsOf, successStatuses } from '../openapi/operations.js';
import { pascalCase } from '../openapi/zod-schema.js';
import { createTypeWriter, doc, type TypeWriter, union } from './write-type.js';

export const errorBodyName = (code: ErrorCode) => `${pascalCase(code)}ErrorBody`;

/** An operation of the contract as a client has it. */
export interface ClientOperation extends Operation {
  name: string;
  /** What the names of its types begin with. */
  type: string;
  /** The document's object of the operation. */
  object: OperationObject;
  /** Whether its answer is a page that names the cursor of the next one. */
  isList: boolean;
}

/** The operations of the contract by group, in its order. */
export function operationsByGroup(
  contract: AppRouter,
  document: OpenApiDocument,
): [string, ClientOperation[]][] {
  return Object.entries(contract).map(([group, members]) => [
    group,
    operationsOf(members as AppRouter, {}, `client.${group}`).map((operation) => {
      const { path, route, metadata, call } = operation;
      const object = document.paths[path]?.[route.method.toLowerCase()];
      if (object === undefined) throw new Error(`the document has no ${route.method} ${path}`);
      const isList = object.parameters?.some((one) => one.name === 'cursor') ?? false;
      const name = call.slice(call.lastIndexOf('.') + 1);
      return { ...operation, name, type: pascalCase(metadata.operationId), object, isList };
    }),
  ]);
}

/** The declarations of some operations of a group: arguments and answers of each, and the interface of the group. */
export function operationDeclarations(
  operations: readonly ClientOperation[],
  schemas: Readonly<Record<string, JsonSchema>>,
  group: { name: string; description: string },
): string {
  const types = createTypeWriter(schemas);
  const parts = operations.flatMap((operation) => [
    ...argumentsOf(operation, types),
    ...(operation.metadata.stream === undefined ? answerOf(operation, types) : eventOf(operation, types)),
    ...(operation.isList ? [listOf(operation, schemas, types)] : []),
  ]);
  const members = operations.map(memberOf).join('\n');
  return [...parts, `${doc(group.description)}export interface ${group.name} {\n${members}}\n`].join('\n');
}

const places = [
  ['path', 'params', 'The path parameters'],
  ['query', 'query', 'The query parameters'],
] as const;

function argumentsOf({ object, call, type, metadata }: ClientOperation, types: TypeWriter): string[] {
  const parts: string[] = [];
  const members: string[] = [];
  const add = (name: string, what: string, isRequired: boolean, wanted: string[]) =>
    members.push(
      `${doc(what, '  ')}${union(`  ${name}${isRequired ? '' : '?'}:`, isRequired ? wanted : [...wanted, 'undefined'])}`,
    );
  for (const [place, member, what] of places) {
    const those = (object.parameters ?? []).filter((one) => one.in === place);
    if (those.length === 0) continue;
    const properties = Object.fromEntries(
      those.map(({ name, schema, description }) => [name, { ...schema, description }]),
    );
    const required = those.filter((one) => one.required).map((one) => one.name);
    const name = `${type}${pascalCase(member)}`;
    parts.push(types.interfaceOf(name, { properties, required, description: `${what} of \`${call}\`.` }));
    add(member, `${what}.`, required.length > 0, [name]);
  }
  const body = object.requestBody?.content['application/json']?.schema;
  if (body !== undefined)
    add('body', 'The body, sent as JSON.', object.requestBody?.required === true, types.alternatives(body));
  const start = `${doc(`What \`${call}\` takes.`)}export `;
  // A stream takes its options separately from its request.
  const extended = metadata.stream === undefined ? ' extends CallOptions' : '';
  const whole =
    members.length === 0
      ? `type ${type}Arguments = CallOptions;\n`
      : `interface ${type}Arguments${extended} {\n${members.join('')}}\n`;
  return [...parts, start + whole];
}

function answerOf(operation: ClientOperation, types: TypeWriter): string[] {
  const { route, metadata, call, type } = operation;
  const successes = successStatuses(route).map(
    (status) => `Answer<${status}, ${types.alternatives(successSchema(operation, status)).join(' | ')}>`,
  );
  const failures = [...codesByStatus(metadata.errors)]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => `Answer<${status}, ${codes.map(errorBodyName).join(' | ')}>`);
  const what = `What \`${call}\` answers: told apart by \`status\`, then errors by \`body.code\`.`;
  return [doc(what) + union(`export type ${type}Result =`, [...successes, ...failures])];
}

/** The events of a stream: those that carry its data, and problems where it has any. */
function eventOf(operation: ClientOperation, types: TypeWriter): string[] {
  const { metadata, call, type } = operation;
  const { event, problems } = metadata.stream ?? { event: '', problems: false };
  const data = types.alternatives(successSchema(operation, 200)).join(' | ');
  const bodies = metadata.errors.map(errorBodyName).sort();
  const problem =
    doc(`What an event \`problem\` of \`${call}\` holds: told apart by \`code\`.`) +
    union(`export type ${type}Problem =`, bodies);
  const events = [`StreamEvent<'${event}', ${data}>`, `StreamEvent<'problem', ${type}Problem>`];
  const whole =
    doc(`An event of \`${call}\`: told apart by \`event\`.`) +
    union(`export type ${type}Event =`, problems ? events : events.slice(0, 1));
  return problems ? [problem, whole] : [whole];
}

function successSchema({ object, metadata }: ClientOperation, status: number): JsonSchema {
  const response = object.responses[status];
  const content = response !== undefined && 'content' in response ? response.content : undefined;
  const media = content?.['application/json'] ?? content?.['text/event-stream'] ?? {};
  const { schema } = media as { schema?: JsonSchema };
  const data = metadata.stream === undefined ? schema : schema?.properties?.data?.contentSchema;
  if (data === undefined) throw new Error(`${metadata.operationId} answers ${status} without JSON`);
  return data;
}

function parameterOf({ object, type }: ClientOperation): string {
  const isNeeded =
    object.requestBody?.required === true ||
    (object.parameters ?? []).some((one) => one.required && one.in !== 'header');
  return `args${isNeeded ? '' : '?'}: ${type}Arguments`;
}

const allDescription =
  'Every item of this page and of those after it, for `for await`: a page is asked for when its first item is. Throws ' +
  'FairleadError where a page is an error, and whatever else a call rejects with.';

/** A list is called for one page, and has `all` for the items of all of them. */
function listOf(
  operation: ClientOperation,
  schemas: Readonly<Record<string, JsonSchema>>,
  types: TypeWriter,
): string {
  const { type, object } = operation;
  const page = schemas[componentName(successSchema(operation, 200).$ref ?? '')];
  const item = types.alternatives(page?.properties?.items?.items ?? {}).join(' | ');
  const parameter = parameterOf(operation);
  return (
    `${doc(describe(operation))}export interface ${type} {\n` +
    `${doc(`${object.summary}: one page.`, '  ')}  (${parameter}): Promise<${type}Result>;\n` +
    `${doc(allDescription, '  ')}  all(${parameter}): AsyncGenerator<${item}, void, undefined>;\n}\n`
  );
}

const streamDescription =
  'Events for `for await`, over as many connections as it takes: where the connection is lost, the service stops or ' +
  'refuses for the moment, it connects anew, and goes on with the present state if that is another than the last one. ' +
  '`break`, `return()` and `options.signal` close it. Throws FairleadError on an error that waiting does not mend, and UnexpectedAnswerError on what is not in ' +
  'the contract.';

function memberOf(operation: ClientOperation): string {
  const { name, type, metadata, isList } = operation;
  const parameter = parameterOf(operation);
  const isStream = metadata.stream !== undefined;
  const member = isStream
    ? `${name}(${parameter}, options?: StreamOptions): AsyncGenerator<${type}Event, void, undefined>;`
    : isList
      ? `${name}: ${type};`
      : `${name}(${parameter}): Promise<${type}Result>;`;
  return `${doc(describe(operation, isStream ? [streamDescription] : []), '  ')}  ${member}\n`;
}

function describe({ object, route }: ClientOperation, more: string[] = []): string {
  return [`${object.summary}.`, object.description, ...more, `\`${route.method} ${route.path}\``].join(
    '\n\n',
  );
}
