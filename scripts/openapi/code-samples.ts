import { contract } from '../../contract/contract.js';
import type { Access } from '../../contract/describe-route.js';
import { examples } from '../../contract/examples/index.js';
import type { OpenApiDocument } from './document.js';
import { type Operation, operationsOf } from './operations.js';

const setUp = `**Beside each operation** stands a request of it, for a shell and for TypeScript. The first needs the address of this
service in \`FAIRLEAD_URL\`, the second one client:

\`\`\`ts
import { createClient } from '@fairlead/contract';
const client = createClient(process.env.FAIRLEAD_URL, { adminKey, cronSecret });
\`\`\``;

/** The document as people read it: the description of each operation begins with a request by curl and by the client. */
export function withSamples(document: OpenApiDocument): OpenApiDocument {
  const { info, paths } = structuredClone(document);
  for (const operation of operationsOf(contract, examples)) {
    const shown = paths[operation.path]?.[operation.route.method.toLowerCase()];
    if (shown !== undefined) shown.description = `${samplesOf(operation)}\n\n${shown.description}`;
  }
  return { ...document, info: { ...info, description: `${info.description}\n\n${setUp}` }, paths };
}

const credentials: Partial<Record<Access, string>> = {
  admin: ' \\\n  -H "X-Admin-Key: $ADMIN_SECRET_KEY"',
  internal: ' \\\n  -H "Authorization: Bearer $CRON_SECRET"',
};

/** The request of the contract's example. */
function samplesOf({ route: { method }, metadata, example, path, call }: Operation): string {
  const { params, query, body } = example;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params?.[name]));
  const search = query === undefined ? '' : `?${new URLSearchParams(query as Record<string, string>)}`;
  const json = JSON.stringify(body)?.replaceAll("'", "'\\''");
  const data = json === undefined ? '' : ` \\\n  -H 'Content-Type: application/json' \\\n  -d '${json}'`;
  const verb = method === 'GET' ? '' : ` -X ${method}`;
  const curl = `curl${verb} "$FAIRLEAD_URL${filled}${search}"${credentials[metadata.access] ?? ''}${data}`;
  const given = JSON.stringify({ params, query, body }, null, 2).replaceAll(
    /^( +)"([A-Za-z_]\w*)":/gm,
    '$1$2:',
  );
  const called = `${call}(${given === '{}' ? '' : given})`;
  const typescript =
    metadata.stream === undefined
      ? `const { status, body } = await ${called};`
      : `for await (const { event, data } of ${called}) console.log(event, data);`;
  return `\`\`\`sh\n${curl}\n\`\`\`\n\n\`\`\`ts\n${typescript}\n\`\`\``;
}
