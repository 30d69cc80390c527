import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { type Options, readOptions, UsageError, usage } from './options.js';
import packageJson from './package.json' with { type: 'json' };
import { createLog, createMcpServer } from './server.js';
import { createTools } from './tools.js';

/** The command line or the environment is wrong. */
const usageExitCode = 2;

/** Standard output carries the protocol and nothing else. */
const log = createLog([process.env.FAIRLEAD_ADMIN_KEY, process.env.FAIRLEAD_ACCOUNT_SECRET], (line) => {
  process.stderr.write(`fairlead-mcp: ${line}\n`);
});

async function serve(options: Options): Promise<void> {
  const tools = createTools(options);
  const server = createMcpServer({ version: packageJson.version, tools, log });
  server.onerror = (error) => log(error.message);
  const stop = () => {
    // Calls under way are given up: nobody reads their answers any more.
    server.close().finally(() => process.exit());
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  process.stdin.once('end', stop);
  await server.connect(new StdioServerTransport());
  const writing = tools.filter(({ definition }) => !definition.annotations.readOnlyHint);
  const writes = writing.map(({ definition }) => definition.name).join(', ') || 'none';
  log(`${tools.length} tools for ${options.url}; tools that write: ${writes}`);
}

async function main(): Promise<void> {
  const command = readOptions(process.argv.slice(2), process.env);
  if ('help' in command) process.stdout.write(usage);
  else if ('version' in command) process.stdout.write(`${packageJson.version}\n`);
  else await serve(command);
}

main().catch((error: unknown) => {
  if (error instanceof UsageError) {
    log(error.message);
    process.exitCode = usageExitCode;
    return;
  }
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
});
