import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../scripts/lib/free-port.js';
import type { Ended } from '../../support/run-program.js';
import { installInto, isOffline, npm, packedTarball } from './tarball.js';

/** Pins what `npm create vite` and its template would take. Vite 8 needs npm 11; 7 works with the npm of Node 20. */
const createVite = 'vite@7.1.2';
const tools = ['vite@7.3.8', 'typescript@5.9.3'];

/** A project as `npm create vite` makes it, with the package installed from its tarball. */
export interface ViteProject {
  folder: string;
  write(path: string, text: string): void;
  /** The template's own script: tsc, then Vite's build. */
  build(env: Record<string, string>): Promise<Ended>;
  /** The built modules as a browser gets them. */
  builtScripts(): Buffer[];
  /** Starts the template's server of the sources or of what was built. */
  serve(script: 'dev' | 'preview', env: Record<string, string>): Promise<PageServer>;
  remove(): void;
}

interface PageServer {
  url: string;
  stop(): Promise<void>;
}

/** Undefined where no registry can be reached. */
export async function createViteProject(): Promise<ViteProject | undefined> {
  const tarball = await packedTarball();
  const parent = mkdtempSync(join(tmpdir(), 'fairlead-vite-'));
  const folder = join(parent, 'wallet');
  const remove = () => rmSync(parent, { recursive: true, force: true });
  const options = ['--template', 'vanilla-ts', '--no-interactive'];
  const created = await npm(['create', '--yes', createVite, 'wallet', '--', ...options], parent);
  if (created.status !== 0 || !(await installInto(folder, [tarball, ...tools]))) {
    remove();
    if (created.status === 0 || isOffline(created.stderr)) return undefined;
    throw new Error(`npm create vite failed: ${created.stdout}${created.stderr}`);
  }
  const assets = join(folder, 'dist/assets');
  return {
    folder,
    write: (path, text) => writeFileSync(join(folder, path), text),
    build: (env) => npm(['run', 'build'], folder, env),
    builtScripts: () =>
      readdirSync(assets)
        .filter((name) => name.endsWith('.js'))
        .map((name) => readFileSync(join(assets, name))),
    serve: (script, env) => serve(folder, script, env),
    remove,
  };
}

async function serve(folder: string, script: string, env: Record<string, string>): Promise<PageServer> {
  const port = await freePort();
  const vite = join(folder, 'node_modules/vite/bin/vite.js');
  const place = ['--host', '127.0.0.1', '--port', String(port), '--strictPort'];
  const child = spawn(process.execPath, [vite, script, ...place], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await announced(child);
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/** Resolves when the server has printed its address. */
function announced(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const read = (chunk: Buffer) => {
      printed += chunk;
      if (printed.includes('127.0.0.1')) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => reject(new Error(`vite ended: ${printed}`)));
  });
}
