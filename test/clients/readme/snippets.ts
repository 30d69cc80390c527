import { readFileSync } from 'node:fs';
import { runProgram } from '../../support/run-program.js';
import type { Consumer } from '../package/consumer.js';

const readme = readFileSync(new URL('../../../contract/README.md', import.meta.url), 'utf8');
const placeholder = 'https://fairlead.example';

/** The TypeScript blocks of the package's README, by the name on their fence. */
export const snippets: ReadonlyMap<string, string> = new Map(
  [...readme.matchAll(/^```ts(?: ([a-z-]+))?\n(.*?)^```$/gms)].map(([, name = 'unnamed', text = '']) => [
    name,
    text,
  ]),
);

/** Imports a snippet, calls a function of it with arguments given as JSON, and prints the result as the last line. */
const caller = `const [name, call, given] = process.argv.slice(2);
const module = await import(\`./\${name}.js\`);
const result = call === undefined ? undefined : await module[call](...JSON.parse(given));
process.stdout.write('\\n' + JSON.stringify(result ?? null));
`;

/** Turns a call's JSON into the request that a web framework would hand over, and its answer back into JSON. */
const receiver = `const [given] = process.argv.slice(2);
const { receive } = await import('./webhook.js');
const { body, headers, secret } = JSON.parse(given);
const request = new Request('http://127.0.0.1/', { method: 'POST', body, headers });
process.stdout.write('\\n' + (await receive(request, secret)).status);
`;

export interface RunSnippet {
  /** What the snippet printed before its result, line by line. */
  printed: string[];
  result: unknown;
}

export interface Snippets {
  /** The output of a strict tsc for all snippets; empty on success. */
  typeCheck(resolution: string): Promise<string>;
  /** Runs a snippet, or one of the functions that it exports. Throws what the program printed as its error. */
  run(name: string, call?: string, ...given: unknown[]): Promise<RunSnippet>;
  receive(delivery: { body: string; headers: Record<string, string>; secret: string }): Promise<RunSnippet>;
}

/** The snippets in a project that has the package installed, with the service's address in place of the placeholder. */
export function placeSnippets(consumer: Consumer, serviceUrl: string): Snippets {
  for (const [name, text] of snippets) consumer.write(`${name}.ts`, text.replaceAll(placeholder, serviceUrl));
  consumer.write('out/call.js', caller);
  consumer.write('out/receive.js', receiver);
  const files = [...snippets.keys()].map((name) => `${name}.ts`);

  async function node(args: readonly string[]): Promise<RunSnippet> {
    const { status, stdout, stderr } = await runProgram(process.execPath, args, { cwd: consumer.folder });
    if (status !== 0) throw new Error(stderr);
    const lines = stdout.split('\n');
    return { result: JSON.parse(lines.pop() ?? ''), printed: lines.filter((line) => line !== '') };
  }

  return {
    typeCheck: (resolution) => consumer.typeCheck(files, { resolution, outDir: 'out' }),
    run: (name, call, ...given) =>
      node(['out/call.js', name, ...(call === undefined ? [] : [call, JSON.stringify(given)])]),
    receive: (delivery) => node(['out/receive.js', JSON.stringify(delivery)]),
  };
}
