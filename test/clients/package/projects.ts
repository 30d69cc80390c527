import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cannotInstall, type Ended, runProgram } from '../../support/run-program.js';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Everything that the projects install beside the package. */
const tools = ['vite@7.3.8', 'typescript@5.9.3', 'typescript-7@npm:typescript@7.0.2'];

/** How TypeScript resolves a package, by the kind of module of the project. */
const resolutions = {
  module: {
    NodeNext: { module: 'NodeNext', moduleResolution: 'NodeNext' },
    Bundler: { module: 'ESNext', moduleResolution: 'Bundler' },
  },
  commonjs: {
    NodeNext: { module: 'NodeNext', moduleResolution: 'NodeNext' },
    Node10: { module: 'CommonJS', moduleResolution: 'Node10' },
  },
} as const;
export type Kind = keyof typeof resolutions;

/** A project that contains only the package, installed from its tarball, and tools. */
export interface Project {
  kind: Kind;
  folder: string;
  /** Writes a file into the project; the repository's own spelling of the package becomes its name. */
  write(path: string, text: string): void;
  /** The output of a strict tsc that also checks the libraries' declarations; empty on success. `outDir`: emits there. */
  typeCheck(
    files: string[],
    how: { resolution: string; outDir?: string; typescript?: 5 | 7 },
  ): Promise<string>;
  /** Runs a program of the project. */
  node(args: string[], input?: string): Promise<Ended>;
}

/** npm without the settings of the npm and of the test runner that run these tests. */
function npm(args: readonly string[], cwd: string): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$)/.test(name));
  return runProgram('npm', args, { cwd, env: Object.fromEntries(inherited), timeoutMs: 240_000 });
}

/** Packs a copy of the workspace, so that this build leaves nothing in the sources. */
export async function pack(workshop: string): Promise<string> {
  const workspace = join(workshop, 'contract');
  const isBuilt = (path: string) => /\/(dist|node_modules)$/.test(path);
  cpSync(join(root, 'contract'), workspace, { recursive: true, filter: (path) => !isBuilt(path) });
  cpSync(join(root, 'tsconfig.json'), join(workshop, 'tsconfig.json'));
  symlinkSync(join(root, 'node_modules'), join(workshop, 'node_modules'));
  const built = await runProgram(process.execPath, ['build.mjs'], { cwd: workspace });
  if (built.status !== 0) throw new Error(`the build failed: ${built.stdout}${built.stderr}`);
  const packed = await npm(['pack', '--ignore-scripts', '--pack-destination', workshop], workspace);
  const name = readdirSync(workshop).find((entry) => entry.endsWith('.tgz'));
  if (name === undefined) throw new Error(`npm pack failed: ${packed.stdout}${packed.stderr}`);
  return join(workshop, name);
}

/** A folder with the tarball and the tools installed; undefined where no registry can be reached. */
export async function install(tarball: string): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-installed-'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const options = ['install', '--prefer-offline', '--no-audit', '--no-fund'];
  const { status, stderr } = await npm([...options, tarball, ...tools], folder);
  if (status === 0) return folder;
  if (cannotInstall.test(stderr)) return undefined;
  throw new Error(`npm install failed: ${stderr}`);
}

/** Switches off what newer versions of Node offer for requiring ES modules, which the package must not need. */
const noBridge = '--no-experimental-require-module';

export function createProject(installed: string, kind: Kind): Project {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-project-'));
  cpSync(join(installed, 'node_modules'), join(folder, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  writeFileSync(join(folder, 'package.json'), `{ "private": true, "type": "${kind}" }\n`);
  const known: Record<string, object> = resolutions[kind];
  return {
    kind,
    folder,
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      const named = text.replaceAll(/'(\.\.\/)+contract\/index\.js'/g, "'@fairlead/contract'");
      writeFileSync(join(folder, path), named);
    },
    async typeCheck(files, { resolution, outDir, typescript = 5 }) {
      const compilerOptions = {
        ...known[resolution],
        target: 'ES2022',
        lib: ['ES2022', 'DOM', 'DOM.Iterable'],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        // Imports become require() in CommonJS, which is not verbatim.
        verbatimModuleSyntax: kind === 'module',
        skipLibCheck: false,
        types: [],
        ...(outDir === undefined ? { noEmit: true } : { outDir, rootDir: '.' }),
      };
      const config = `tsconfig.${resolution}.json`;
      writeFileSync(join(folder, config), JSON.stringify({ compilerOptions, files }));
      const compiler = `node_modules/typescript${typescript === 7 ? '-7' : ''}/bin/tsc`;
      const path = existsSync(join(folder, compiler)) ? compiler : `${compiler}.js`;
      return (await runProgram(process.execPath, [path, '-p', config], { cwd: folder })).stdout;
    },
    node: (args, input = '') => runProgram(process.execPath, [noBridge, ...args], { cwd: folder, input }),
  };
}
