import { type ClientOperation, isOpen } from './operations.js';

/** The table of routes that a client calls by, as a module that exports it as `name`. */
export function routeTable(
  name: string,
  groups: readonly (readonly [group: string, operations: readonly ClientOperation[]])[],
  from: string,
  description: string,
): string {
  const body = groups.map(
    ([group, operations]) => `  ${group}: {\n${operations.map(routeOf).join('')}  },\n`,
  );
  return (
    `import type { RouteTable } from '${from}';\n\n/** ${description} */\n` +
    `export const ${name} = {\n${body.join('')}} as const satisfies RouteTable;\n`
  );
}

function routeOf(operation: ClientOperation): string {
  const { name, route, metadata, isList } = operation;
  const statuses = Object.keys(route.responses)
    .map(Number)
    .sort((a, b) => a - b);
  const { stream } = metadata;
  const members = [
    `operationId: '${metadata.operationId}'`,
    `method: '${route.method}'`,
    `path: '${route.path}'`,
    `statuses: [${statuses.join(', ')}]`,
    ...(isList ? ['isList: true'] : []),
    ...(stream === undefined ? [] : [`events: ['${stream.event}'${stream.problems ? ", 'problem'" : ''}]`]),
    ...(isOpen(operation) ? [] : [`access: '${metadata.access}'`]),
  ];
  return `    ${name}: {\n${members.map((member) => `      ${member},\n`).join('')}    },\n`;
}
