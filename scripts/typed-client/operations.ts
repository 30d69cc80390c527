import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core';
import type { EventStream, RouteMetadata } from '../../contract/describe-route.js';
import type { OpenApiDocument } from '../openapi/document.js';
import { componentName, type JsonSchema } from '../openapi/json-schema.js';
import type { OperationObject } from '../openapi/operation-object.js';
import { codesByStatus, successStatuses } from '../openapi/operations.js';
import { pascalCase } from '../openapi/zod-schema.js';
import { errorBodyName } from './errors.js';
import { createTypeWriter, doc, type TypeWriter, union } from './write-type.js';

/** An operation of the contract as a client has it: `client.<group>.<name>`. */
export interface ClientOperation {
  group: string;
  name: string;
  route: AppRoute;
  metadata: RouteMetadata;
  /** The document's object of the operation. */
  object: OperationObject;
  /** Whether its answer is a page that names the cursor of the next one. */
  isList: boolean;
}

/** The operations of the contract by group, in its order. */
export function operationsByGroup(
  contract: AppRouter,
  document: OpenApiDocument,
): ReadonlyMap<string, ClientOperation[]> {
  const groups = Object.entries(contract).map(([group, members]): [string, ClientOperation[]] => [
    group,
    Object.entries(members as AppRouter).map(([name, route]) => {
      if (!isAppRoute(route)) throw new Error(`${group}.${name} is no operation`);
      const path = route.path.replaceAll(/:([A-Za-z0-9_]+)/g, '{$1}');
      const object = document.paths[path]?.[route.method.toLowerCase()];
      if (object === undefined) throw new Error(`the document has no ${route.method} ${path}`);
      const isList = object.parameters?.some((one) => one.name === 'cursor') ?? false;
      return { group, name, route, metadata: route.metadata as RouteMetadata, object, isList };
    }),
  ]);
  return new Map(groups);
}

/** Whether anyone may call it: without a credential of the operator. */
export function isOpen({ metadata }: ClientOperation): boolean {
  return metadata.access !== 'admin' && metadata.access !== 'internal';
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
    operation.metadata.stream === undefined
      ? answerOf(operation, types)
      : eventOf(operation, operation.metadata.stream, types),
    ...(operation.isList ? [listOf(operation, schemas, types)] : []),
  ]);
  const members = operations.map((operation) => memberOf(operation));
  const whole = `${doc(group.description)}export interface ${group.name} {\n${members.join('\n')}}\n`;
  return [...parts, whole].join('\n');
}

const typeName = ({ metadata }: ClientOperation) => pascalCase(metadata.operationId);

function argumentsOf(operation: ClientOperation, types: TypeWriter): string[] {
  const name = typeName(operation);
  const { object } = operation;
  const parameters = (place: string): JsonSchema => {
    const those = (object.parameters ?? []).filter((one) => one.in === place);
    return {
      properties: Object.fromEntries(
        those.map(({ name, schema, description }) => [name, { ...schema, description }]),
      ),
      required: those.filter((one) => one.required).map((one) => one.name),
    };
  };
  const inPath = parameters('path');
  const inQuery = parameters('query');
  const members: string[] = [];
  const parts: string[] = [];
  if (Object.keys(inPath.properties ?? {}).length > 0) {
    parts.push(
      types.interfaceOf(`${name}Params`, {
        ...inPath,
        description: `What the path of \`${callOf(operation)}\` names.`,
      }),
    );
    members.push(`${doc('What the path names.', '  ')}  params: ${name}Params;\n`);
  }
  if (Object.keys(inQuery.properties ?? {}).length > 0) {
    parts.push(
      types.interfaceOf(`${name}Query`, {
        ...inQuery,
        description: `The query of \`${callOf(operation)}\`.`,
      }),
    );
    const isRequired = (inQuery.required ?? []).length > 0;
    members.push(
      `${doc('The query parameters.', '  ')}  ${isRequired ? `query: ${name}Query` : `query?: ${name}Query | undefined`};\n`,
    );
  }
  const { requestBody } = object;
  const body = requestBody?.content['application/json']?.schema;
  if (requestBody !== undefined && body !== undefined) {
    const wanted = types.alternatives(body);
    members.push(
      `${doc('The body, sent as JSON.', '  ')}${union(`  body${requestBody.required ? '' : '?'}:`, requestBody.required ? wanted : [...wanted, 'undefined'])}`,
    );
  }
  const start = `${doc(`What \`${callOf(operation)}\` takes.`)}export `;
  // A stream takes its options separately from its request.
  const extended = operation.metadata.stream === undefined ? ' extends CallOptions' : '';
  parts.push(
    members.length === 0
      ? `${start}type ${name}Arguments = CallOptions;\n`
      : `${start}interface ${name}Arguments${extended} {\n${members.join('')}}\n`,
  );
  return parts;
}

const callOf = ({ group, name }: ClientOperation) => `client.${group}.${name}`;

function answerOf(operation: ClientOperation, types: TypeWriter): string {
  const name = typeName(operation);
  const successes = successStatuses(operation.route).map(
    (status) => `Answer<${status}, ${types.alternatives(successSchema(operation, status)).join(' | ')}>`,
  );
  const failures = [...codesByStatus(operation.metadata.errors)]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => `Answer<${status}, ${codes.map(errorBodyName).join(' | ')}>`);
  return (
    doc(`What \`${callOf(operation)}\` answers: told apart by \`status\`, then errors by \`body.code\`.`) +
    union(`export type ${name}Result =`, [...successes, ...failures])
  );
}

/** The events of a stream: those that carry its data, and problems where it has any. */
function eventOf(operation: ClientOperation, { event, problems }: EventStream, types: TypeWriter): string {
  const name = typeName(operation);
  const data = types.alternatives(successSchema(operation, 200)).join(' | ');
  const all = [`StreamEvent<'${event}', ${data}>`];
  const parts: string[] = [];
  if (problems) {
    const bodies = operation.metadata.errors.map(errorBodyName).sort();
    all.push(`StreamEvent<'problem', ${name}Problem>`);
    parts.push(
      doc(`What an event \`problem\` of \`${callOf(operation)}\` holds: told apart by \`code\`.`) +
        union(`export type ${name}Problem =`, bodies),
    );
  }
  parts.push(
    doc(`An event of \`${callOf(operation)}\`: told apart by \`event\`.`) +
      union(`export type ${name}Event =`, all),
  );
  return parts.join('\n');
}

function successSchema({ object, metadata }: ClientOperation, status: number): JsonSchema {
  const response = object.responses[status];
  const content = response !== undefined && 'content' in response ? response.content : undefined;
  const { schema } = (content?.['application/json'] ?? content?.['text/event-stream'] ?? {}) as {
    schema?: JsonSchema;
  };
  const data = metadata.stream === undefined ? schema : schema?.properties?.data?.contentSchema;
  if (data === undefined) throw new Error(`${metadata.operationId} answers ${status} without JSON`);
  return data;
}

/** Whether a call must be given arguments. */
function needsArguments({ object }: ClientOperation): boolean {
  return (
    (object.requestBody?.required ?? false) ||
    (object.parameters ?? []).some((one) => one.required && one.in !== 'header')
  );
}

function parameterOf(operation: ClientOperation): string {
  return `args${needsArguments(operation) ? '' : '?'}: ${typeName(operation)}Arguments`;
}

/** A list is called for one page, and has `all` for the items of all of them. */
function listOf(
  operation: ClientOperation,
  schemas: Readonly<Record<string, JsonSchema>>,
  types: TypeWriter,
): string {
  const page = schemas[componentName(successSchema(operation, 200).$ref ?? '')];
  const items = types.alternatives(page?.properties?.items?.items ?? {});
  const name = typeName(operation);
  return (
    `${doc(describe(operation))}export interface ${name} {\n` +
    `${doc(`${operation.object.summary}: one page.`, '  ')}  (${parameterOf(operation)}): Promise<${name}Result>;\n` +
    `${doc(allDescription, '  ')}  all(${parameterOf(operation)}): AsyncGenerator<${items.join(' | ')}, void, undefined>;\n}\n`
  );
}

const allDescription =
  'Every item of this page and of those after it, for `for await`: a page is asked for when its first item is. Throws ' +
  'FairleadError where a page is an error, and whatever else a call rejects with.';

const streamDescription =
  'Events for `for await`, over as many connections as it takes: where the connection is lost, the service stops or ' +
  'refuses for the moment, it connects anew, and goes on with the present state if that is another than the last one. ' +
  '`break`, `return()` and `options.signal` close it. Throws FairleadError on an error that waiting does not mend, and UnexpectedAnswerError on what is not in ' +
  'the contract.';

function memberOf(operation: ClientOperation): string {
  const name = typeName(operation);
  if (operation.metadata.stream !== undefined) {
    const parameters = `${parameterOf(operation)}, options?: StreamOptions`;
    const stream = `${operation.name}(${parameters}): AsyncGenerator<${name}Event, void, undefined>;`;
    return `${doc(describe(operation, streamDescription), '  ')}  ${stream}\n`;
  }
  const member = operation.isList
    ? `${operation.name}: ${name};`
    : `${operation.name}(${parameterOf(operation)}): Promise<${name}Result>;`;
  return `${doc(describe(operation), '  ')}  ${member}\n`;
}

function describe({ object, route }: ClientOperation, more?: string): string {
  const description = [object.description, ...(more === undefined ? [] : [more])].join('\n\n');
  return `${object.summary}.\n\n${description}\n\n\`${route.method} ${route.path}\``;
}
