import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { build } from 'esbuild';
import { freePort } from '../../scripts/lib/free-port.js';
import { runProgram } from '../support/run-program.js';
import { waitFor } from '../support/wait-for.js';
import type { Block } from './fenced-blocks.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Running {
  child: ChildProcess;
  ended: Promise<unknown>;
  printed(): string;
}

/**
 * `npm start` in a copy of this repository, as it is after `npm ci`, for running the blocks of guides. Only the ports differ
 * from the printed ones, since those may be taken.
 */
export interface LocalStart {
  /** The address of the service. */
  url: string;
  /** The copy, in which everything runs. */
  folder: string;
  /** The output of a block's commands, which must succeed. */
  pasted(block: Block): Promise<string>;
  /** The output of a program that uses the package's exports; it must succeed. */
  program(block: Block, env?: Record<string, string>): Promise<string>;
  /** Starts such a program, which listens on the receiver's port. */
  startProgram(block: Block, env: Record<string, string>): Promise<void>;
  /** Starts `npm run receiver` and waits until it listens; the returned function gives its output so far. */
  startReceiver(): Promise<() => string>;
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
    OUTBOUND_ALLOW: `http://127.0.0.1:${receiverPort}`,
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
  const oracle = /Oracle +http:\/\/(\S+)/.exec(service.printed())?.[1] ?? '';

  function here(text: string): string {
    return text
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:7299', oracle)
      .replaceAll('9099', String(receiverPort));
  }

  async function succeeds(command: string, args: string[], given: NodeJS.ProcessEnv): Promise<string> {
    const { status, stdout, stderr } = await runProgram(command, args, { cwd: clone, env: given });
    if (status !== 0) throw new Error(`${args.at(-1)} ended with ${status}: ${stdout}${stderr}`);
    return stdout;
  }

  /** Bundles the program into one file that Node runs. */
  async function bundled({ text }: Block): Promise<string> {
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
    folder: clone,
    pasted: ({ text }) => succeeds('bash', ['--norc', '-euo', 'pipefail', '-c', here(text)], env),
    program: async (block, given) => succeeds(process.execPath, [await bundled(block)], { ...env, ...given }),
    async startProgram(block, given) {
      run(process.execPath, [await bundled(block)], { ...env, ...given });
      const answers = () => fetch(`http://127.0.0.1:${receiverPort}/`, { method: 'POST' });
      await waitFor(async () => expect((await answers()).status).toBe(401), { timeout: 30_000 });
    },
    async startReceiver() {
      const { printed } = run('npm', ['run', 'receiver', '--', '--port', String(receiverPort)]);
      await waitFor(() => expect(printed()).toContain(String(receiverPort)), { timeout: 60_000 });
      return printed;
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
