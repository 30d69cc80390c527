import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Connection {
  client: Client;
  /** Everything on standard error so far. */
  logged(): string;
  close(): Promise<void>;
}

/** How the server is started: from its sources unless `command` is given. */
export interface Start {
  args: readonly string[];
  env?: Record<string, string>;
  command?: { program: string; args: readonly string[]; cwd: string };
}

/** An MCP host built with the SDK, with fairlead-mcp as its child on standard input and output. */
export async function connect({ args, env = {}, command }: Start): Promise<Connection> {
  const fromSources = { program: process.execPath, args: ['--import', 'tsx', 'mcp/main.ts'], cwd: root };
  const started = command ?? fromSources;
  const transport = new StdioClientTransport({
    command: started.program,
    args: [...started.args, ...args],
    cwd: started.cwd,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stderr: 'pipe',
  });
  let logged = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    logged += chunk.toString();
  });
  const client = new Client({ name: 'test-host', version: '1.0.0' });
  await client.connect(transport);
  return { client, logged: () => logged, close: () => client.close() };
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a tool answers, of any operation
type Body = any;

/** The answer of a tool, whose structured and text forms must be equal. Throws on a tool error. */
export async function call(
  { client }: Connection,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Body> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
  const text = textOf(content);
  if (isError === true) throw new Error(`${name}: ${text}`);
  const body: Body = structuredContent;
  if (JSON.stringify(body) !== text) throw new Error(`${name} answers one thing as text and another as data`);
  return body;
}

/** The fault that a tool returned. Throws where the tool succeeded. */
export async function faultOf(
  { client }: Connection,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Body> {
  const { isError, content } = await client.callTool({ name, arguments: args });
  if (isError !== true) throw new Error(`${name} succeeded: ${textOf(content)}`);
  return JSON.parse(textOf(content));
}

function textOf(content: unknown): string {
  const [first] = content as { type: string; text: string }[];
  return first?.text ?? '';
}
