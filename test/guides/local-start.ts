import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { build } from 'esbuild';
import { freePort } from '../../scripts/lib/loopback-server.js';
import { runProgram } from '../support/run-program.js';
import { waitFor } from '../support/wait-for.js';
import { blockOf, expectLike } from './blocks.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Running {
  child: ChildProcess;
  ended: Promise<unknown>;
  printed(): string;
}

/** `npm start` in a copy of this repository, for running the blocks of pages. Only the ports differ from the printed ones. */
export interface LocalStart {
  /** The address of the service. */
  url: string;
  /** The output of these commands, which must succeed. */
  shell(text: string): Promise<string>;
  /** The output of a page's commands, run as printed, which must be like the output that the page shows. */
  paste(page: string, pattern: RegExp): Promise<string>;
  /** The output of a program that uses the package's exports; it must succeed. */
  program(text: string, env?: Record<string, string>): Promise<string>;
  /** Starts a program, or `npm run` with these arguments; the returned function gives its output so far. */
  start(what: { program: string; env: Record<string, string> } | { npmRun: string[] }): Promise<() => string>;
  receiverPort: number;
  stop(): Promise<void>;
}

export async function startLocally(): Promise<LocalStart> {
  const clone = mkdtempSync(join(tmpdir(), 'fairlead-clone-'));
  const left = ['node_modules', '.git', '.cache', 'dist', 'artifacts', 'target'];
  const isLeft = (path: string) => path === 'data' || left.includes(basename(path));
  cpSync(root, clone, { recursive: true, filter: (path) => !isLeft(relative(root, path)) });
  for (const name of ['node_modules', '.cache'])
    if (existsSync(join(root, name))) symlinkSync(join(root, name), join(clone, name));
  const port = await freePort();
  const receiverPort = await freePort();
  const env = {
    ...process.env,
    PORT: String(port),
    NODE_ENV: '',
    MONGODB_URI: '',
    FLEET_FILE: '',
    ADMIN_SECRET_KEY: '',
    CRON_SECRET: '',
  };
  const running: Running[] = [];

  /** Starts a command that runs until it is stopped. */
  function run(command: string, args: string[], given: NodeJS.ProcessEnv = env): Running {
    const child = spawn(command, args, { cwd: clone, env: given, detached: true, stdio: 'pipe' });
    child.stdin.end();
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
      });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const started = { child, ended, printed: () => printed };
    running.push(started);
    return started;
  }

  const service = run('npm', ['start']);
  await waitFor(() => expect(service.printed()).toContain('Ctrl-C stops'), { timeout: 120_000 });

  function here(text: string): string {
    return text.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`).replaceAll('9099', String(receiverPort));
  }

  async function succeeds(command: string, args: string[], given: NodeJS.ProcessEnv): Promise<string> {
    const { status, stdout, stderr } = await runProgram(command, args, { cwd: clone, env: given });
    if (status !== 0) throw new Error(`${args.at(-1)} ended with ${status}: ${stdout}${stderr}`);
    return stdout;
  }

  const shell = (text: string) => succeeds('bash', ['--norc', '-euo', 'pipefail', '-c', here(text)], env);

  /** Bundles the program into one file that Node runs. */
  async function bundled(text: string): Promise<string> {
    const outfile = join(clone, 'program.mjs');
    writeFileSync(join(clone, 'program.ts'), here(text));
    await build({
      entryPoints: [join(clone, 'program.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      alias: { '@fairlead/contract': join(root, 'contract/index.ts') },
      nodePaths: [join(root, 'node_modules')],
      // Lets packages that are CommonJS inside call require().
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      logLevel: 'silent',
    });
    return outfile;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    receiverPort,
    shell,
    async paste(page, pattern) {
      const { text, shown } = blockOf(page, 'sh', pattern);
      const output = await shell(text);
      if (shown !== undefined) expectLike(output, shown);
      return output;
    },
    program: async (text, given) => succeeds(process.execPath, [await bundled(text)], { ...env, ...given }),
    async start(what) {
      const started =
        'npmRun' in what
          ? run('npm', ['run', ...what.npmRun])
          : run(process.execPath, [await bundled(what.program)], { ...env, ...what.env });
      await waitFor(() => fetch(`http://127.0.0.1:${receiverPort}/`, { method: 'POST' }), {
        timeout: 60_000,
      });
      return started.printed;
    },
    async stop() {
      for (const { child, ended } of running.reverse()) {
        // The signal goes to the whole group, as from a terminal: npm starts a shell, which starts the program.
        process.kill(-(child.pid ?? 0), 'SIGINT');
        await ended;
      }
      rmSync(clone, { recursive: true, force: true });
    },
  };
}
