import { contract } from '../../contract/contract.js';
import type { OpenApiDocument } from './document.js';
import type { OperationObject } from './operation-object.js';

const setUp = `**Beside each operation** stands a request of it, for a shell and for TypeScript. The first needs the address of this
service in \`FAIRLEAD_URL\`, the second one client:

\`\`\`ts
import { createClient } from '@fairlead/contract';
const client = createClient(process.env.FAIRLEAD_URL, { adminKey, cronSecret });
\`\`\``;

/** The document as people read it: the description of each operation begins with a request by curl and by the client. */
export function withSamples(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => {
        const curl = fenced('sh', curlOf(method, path, operation));
        const call = fenced('ts', callOf(method, path, operation));
        const description = [curl, call, operation.description].join('\n\n');
        return [method, { ...operation, description }] as const;
      }),
    ),
  ]);
  const info = { ...document.info, description: `${document.info.description}\n\n${setUp}` };
  return { ...document, info, paths: Object.fromEntries(paths) };
}

function curlOf(method: string, path: string, operation: OperationObject): string {
  const { params, query, body } = argumentsOf(operation);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params?.[name]));
  const search = new URLSearchParams((query ?? {}) as Record<string, string>).toString();
  const [scheme] = Object.keys(operation.security?.[0] ?? {});
  return [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "$FAIRLEAD_URL${filled}${search && `?${search}`}"`,
    ...(scheme === 'adminKey' ? ['-H "X-Admin-Key: $ADMIN_SECRET_KEY"'] : []),
    ...(scheme === 'cronSecret' ? ['-H "Authorization: Bearer $CRON_SECRET"'] : []),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ');
}

function callOf(method: string, path: string, operation: OperationObject): string {
  const name = clientNames.get(`${method} ${path}`);
  const given = argumentsOf(operation);
  const text = JSON.stringify(given, null, 2).replaceAll(/^( +)"([A-Za-z_]\w*)":/gm, '$1$2:');
  const call = `client.${name}(${Object.keys(given).length === 0 ? '' : text})`;
  return name?.endsWith('.stream')
    ? `for await (const { event, data } of ${call}) console.log(event, data);`
    : `const { status, body } = await ${call};`;
}

/** What has to be given, and the first of what may be, as the document's examples have it. */
function argumentsOf({ parameters = [], requestBody }: OperationObject) {
  const valuesOf = (place: string) => {
    const here = parameters.filter((each) => each.in === place && each.example !== undefined);
    const given = here.filter(({ required }) => required);
    const optional = here.find(({ required }) => !required);
    const shown = optional === undefined ? given : [...given, optional];
    return shown.length === 0
      ? undefined
      : Object.fromEntries(shown.map((each) => [each.name, each.example]));
  };
  const [params, query] = ['path', 'query'].map(valuesOf);
  const body = requestBody?.content['application/json']?.example;
  return { ...(params && { params }), ...(query && { query }), ...(body !== undefined && { body }) };
}

/** `rates.getRates` by `get /api/rates/{corridor}`. */
const clientNames = new Map(
  Object.entries(contract).flatMap(([group, routes]) =>
    Object.entries(routes as Record<string, { method: string; path: string }>).map(
      ([name, { method, path }]) =>
        [`${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`, `${group}.${name}`] as const,
    ),
  ),
);

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
